//! The bill of materials, as CycloneDX 1.5.

use anyhow::Result;
use serde_json::{Value, json};

use super::crates::{Crate, Crates};

/// The bill of materials of a release. Errors: it cannot be written as JSON.
pub fn cyclone_dx(crates: &Crates) -> Result<String> {
    let own = format!("pkg:cargo/handrail@{}", crates.version);
    let components: Vec<Value> = crates.others.iter().map(component).collect();
    let mut dependencies: Vec<Value> = crates
        .others
        .iter()
        .map(|one| {
            let needed = one
                .dependencies
                .iter()
                .map(|(name, version)| purl(name, version));
            json!({ "ref": purl(&one.name, &one.version), "dependsOn": needed.collect::<Vec<_>>() })
        })
        .collect();
    let all: Vec<_> = crates
        .others
        .iter()
        .map(|one| purl(&one.name, &one.version))
        .collect();
    dependencies.push(json!({ "ref": own, "dependsOn": all }));
    let bill = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": own, "purl": own, "name": "handrail", "version": crates.version,
        } },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(serde_json::to_string_pretty(&bill)?)
}

fn purl(name: &str, version: &str) -> String {
    // A plus begins build metadata of a version, and is a space in a URL.
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

fn component(one: &Crate) -> Value {
    let reference = purl(&one.name, &one.version);
    let mut component = json!({
        "type": "library", "bom-ref": reference, "purl": reference, "name": one.name, "version": one.version,
    });
    if !one.license.is_empty() {
        // Old crates separate alternatives by a slash.
        let expression = one.license.replace(" / ", " OR ").replace('/', " OR ");
        component["licenses"] = json!([{ "expression": expression }]);
    }
    if let Some(checksum) = &one.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}
