//! Options of OpenID Connect: the provider, and which of its users get an account.

use crate::people::Role;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use url::Url;

/// Login by OpenID Connect; disabled without an issuer.
#[derive(Debug, Clone, Args, Default)]
pub struct Options {
    /// OpenID Connect issuer for logins. The redirect URL is ADDRESS/login/openid/callback.
    #[arg(
        long,
        env = "HANDRAIL_OIDC_ISSUER",
        value_name = "URL",
        requires = "oidc_client_id",
        value_parser = issuer
    )]
    pub oidc_issuer: Option<String>,

    /// Client ID of Handrail at the issuer.
    #[arg(long, env = "HANDRAIL_OIDC_CLIENT_ID", value_name = "ID")]
    pub oidc_client_id: Option<String>,

    /// File with the client secret on its first line, if the issuer requires one.
    #[arg(long, env = "HANDRAIL_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    pub oidc_client_secret_file: Option<PathBuf>,

    /// Name of the provider on the login button: "Log in with NAME".
    #[arg(
        long,
        env = "HANDRAIL_OIDC_NAME",
        default_value = "OpenID Connect",
        value_name = "NAME"
    )]
    pub oidc_name: String,

    /// Additional scopes beside openid, email and profile; often "groups".
    #[arg(
        long,
        env = "HANDRAIL_OIDC_SCOPE",
        value_delimiter = ',',
        value_name = "SCOPE"
    )]
    pub oidc_scope: Vec<String>,

    /// Rules for new accounts and their roles: ada@example.com=operator, @example.com=viewer or group:devs=approver,
    /// separated by commas. Without rules no accounts are created; members link their account on its page.
    #[arg(
        long,
        env = "HANDRAIL_OIDC_ALLOW",
        value_delimiter = ',',
        value_name = "RULE"
    )]
    pub oidc_allow: Vec<Rule>,
}

/// A rule: who gets an account, and with which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    subject: Subject,
    role: Role,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    Address(String),
    Domain(String),
    Group(String),
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (subject, role) = text
            .rsplit_once('=')
            .ok_or("write it like ada@example.com=operator")?;
        let role: Role = role.parse()?;
        if role == Role::Owner {
            return Err("a rule cannot give the owner role".to_owned());
        }
        let subject = match (subject.strip_prefix("group:"), subject.strip_prefix('@')) {
            (Some(""), _) | (_, Some("")) => return Err("it names no one".to_owned()),
            (Some(group), _) => Subject::Group(group.to_owned()),
            (None, Some(domain)) => Subject::Domain(domain.to_lowercase()),
            (None, None) if subject.contains('@') => Subject::Address(subject.to_lowercase()),
            (None, None) => {
                return Err("it is neither an address, @domain, nor group:name".to_owned());
            }
        };
        Ok(Self { subject, role })
    }
}

impl Options {
    /// The highest role that the rules give to a user with this verified address and these groups.
    pub fn role_for(&self, address: Option<&str>, groups: &[String]) -> Option<Role> {
        let address = address.map(str::to_lowercase);
        let domain = address
            .as_deref()
            .and_then(|it| Some(it.rsplit_once('@')?.1));
        let fits = |rule: &&Rule| match &rule.subject {
            Subject::Address(wanted) => address.as_deref() == Some(wanted),
            Subject::Domain(wanted) => domain == Some(wanted),
            Subject::Group(wanted) => groups.contains(wanted),
        };
        self.oidc_allow
            .iter()
            .filter(fits)
            .map(|rule| rule.role)
            .max()
    }
}

/// Parses an issuer: an HTTPS address, or an HTTP address on this machine.
fn issuer(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let here = match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if url.scheme() == "https" || (url.scheme() == "http" && here) {
        Ok(text.to_owned())
    } else {
        Err("it must begin with https://".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_lets_in_whom_it_names_in_the_highest_of_their_roles() {
        let rules = [
            "Ada@example.com=operator",
            "@example.com=viewer",
            "group:devs=approver",
        ];
        let options = Options {
            oidc_allow: rules.map(|rule| rule.parse().unwrap()).into(),
            ..Options::default()
        };
        let devs = ["devs".to_owned()];
        for (address, groups, role) in [
            (Some("ada@EXAMPLE.com"), &devs[..], Some(Role::Operator)),
            (Some("bob@example.com"), &devs[..], Some(Role::Approver)),
            (Some("bob@example.com"), &[], Some(Role::Viewer)),
            (Some("bob@example.com.evil"), &[], None),
            (Some("ada@example.com@evil"), &[], None),
            (None, &[], None),
        ] {
            assert_eq!(options.role_for(address, groups), role, "{address:?}");
        }
        for bad in [
            "",
            "ada",
            "ada=viewer",
            "a@b=owner",
            "@=viewer",
            "group:=viewer",
            "a@b=king",
        ] {
            assert!(bad.parse::<Rule>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_issuer_is_asked_over_tls_or_on_this_machine() {
        for good in [
            "https://id.example.com/realm",
            "http://127.0.0.1:9",
            "http://localhost",
        ] {
            assert!(issuer(good).is_ok(), "{good}");
        }
        for bad in [
            "http://id.example.com",
            "id.example.com",
            "",
            "ftp://127.0.0.1",
        ] {
            assert!(issuer(bad).is_err(), "{bad}");
        }
    }
}
