//! A real OpenHands for the live tests: installed, started, set up, and gone again however the tests end.
//!
//! Everything hangs on one shell whose input we hold. When we end, in whatever way, its input ends, and it stops what it
//! started. The folder of scripts knows how OpenHands is installed, started and stopped; here is only when.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::steps::{program, root, run, step, target};

/// Starts model, tools and server, says when they are there, waits for the end of its input and stops them.
///
/// Whoever interrupts it wants everything stopped, so a signal only ends the waiting.
const GUARD: &str = r#"
trap : INT TERM HUP
"$PYTHON" "$SCRIPTS/fake_llm.py" --port "$MODEL_PORT" >"$STATE/model.log" 2>&1 &
model=$!
"$PYTHON" "$SCRIPTS/mcp_demo.py" "$MCP_PORT" >"$STATE/mcp.log" 2>&1 &
mcp=$!
sh -c "$START" >&2 &&
  curl --silent --show-error --fail --noproxy '*' --output "$STATE/settings.log" \
    --header 'content-type: application/json' --data "$SETTINGS" "$ADDRESS/api/settings" &&
  echo ready || echo failed
cat >"$STATE/guard.log"
sh -c "$STOP" >&2
kill "$model" "$mcp"
"#;

/// A running OpenHands; dropping it stops it.
pub struct OpenHands {
    guard: Child,
    /// Where it serves.
    pub address: String,
    /// The command that stops it and starts it again.
    pub restart: String,
    /// The command that frees the memory which ended conversations leave behind.
    pub reap: String,
}

impl OpenHands {
    /// Installs it unless that was done, and starts it with a scripted model. Its state is new each time.
    pub fn start() -> Result<Self> {
        let scripts = scripts()?;
        let installed = installed(&scripts)?;
        let state = target().join("openhands-state");
        if state.exists() {
            fs::remove_dir_all(&state)?;
        }
        fs::create_dir_all(&state)?;
        step("OpenHands", || up(&scripts, &installed, &state))
    }
}

impl Drop for OpenHands {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        if let Err(error) = self.guard.wait() {
            eprintln!("OpenHands may still run: {error}");
        }
    }
}

/// The folder with the scripts that install, start and stop an OpenHands.
fn scripts() -> Result<PathBuf> {
    let named = env::var_os("HANDRAIL_BACKENDS").filter(|folder| !folder.is_empty());
    let folder = named.map_or_else(
        || root().join("../shared/backends/v0"),
        |folder| root().join(folder),
    );
    ensure!(
        folder.join("start.sh").is_file(),
        "there is no OpenHands to test with: set HANDRAIL_LIVE to the address of one, or HANDRAIL_BACKENDS to a folder \
         with scripts that install and start one ({} has none)",
        folder.display()
    );
    Ok(folder.canonicalize()?)
}

/// The folder that OpenHands is installed in.
fn installed(scripts: &Path) -> Result<PathBuf> {
    if let Some(folder) = env::var_os("HANDRAIL_OPENHANDS").filter(|folder| !folder.is_empty()) {
        let folder = root().join(folder);
        ensure!(
            has_python(&folder),
            "HANDRAIL_OPENHANDS is {}, where no OpenHands is installed",
            folder.display()
        );
        return Ok(folder);
    }
    let folder = target().join("openhands");
    // Python comes first and OpenHands last, so an installation that broke off is told by the mark behind it.
    let mark = folder.join("complete");
    if !mark.is_file() {
        fs::create_dir_all(&folder)?;
        step("installing OpenHands", || {
            run(program(scripts.join("install.sh")).arg(&folder))
        })?;
        fs::write(mark, "")?;
    }
    Ok(folder)
}

fn has_python(folder: &Path) -> bool {
    folder.join("venv/bin/python").is_file()
}

fn up(scripts: &Path, installed: &Path, state: &Path) -> Result<OpenHands> {
    let [server, model, mcp] = free_ports()?;
    let script = |name: &str| {
        let words = [scripts.join(name).as_path(), installed, state].map(quoted);
        words.join(" ")
    };
    // Three conversations at once is what OpenHands allows by itself, and the tests count on it.
    let start = format!(
        "PORT={server} ENABLE_BROWSER=true MAX_CONCURRENT_CONVERSATIONS=3 {}",
        script("start.sh")
    );
    let stop = script("stop.sh");
    let address = format!("http://127.0.0.1:{server}");
    let settings = format!(
        r#"{{"language":"en","agent":"CodeActAgent","llm_model":"openai/gpt-4o","llm_api_key":"sk-none",
        "llm_base_url":"http://127.0.0.1:{model}/v1","confirmation_mode":false,"enable_default_condenser":true,
        "user_consents_to_analytics":false,"git_user_name":"demo","git_user_email":"demo@example.invalid",
        "mcp_config":{{"sse_servers":[],"stdio_servers":[],"shttp_servers":[{{"url":"http://127.0.0.1:{mcp}/mcp","api_key":null}}]}}}}"#
    );
    let mut guard = program("sh")
        .args(["-c", GUARD])
        .env("PYTHON", installed.join("venv/bin/python"))
        .env("SCRIPTS", scripts)
        .env("STATE", state)
        .env("MODEL_PORT", model.to_string())
        .env("MCP_PORT", mcp.to_string())
        .env("START", &start)
        .env("STOP", &stop)
        .env("ADDRESS", &address)
        .env("SETTINGS", settings)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let said = guard.stdout.take().expect("the output was just piped");
    let openhands = OpenHands {
        guard,
        address,
        restart: format!("{stop} && {start}"),
        reap: script("reap.sh"),
    };
    is_ready(said).with_context(|| format!("its logs are in {}", state.display()))?;
    Ok(openhands)
}

fn is_ready(said: ChildStdout) -> Result<()> {
    let mut line = String::new();
    BufReader::new(said).read_line(&mut line)?;
    ensure!(line.trim_end() == "ready", "it did not start");
    Ok(())
}

/// A port that nobody listens on, three times.
fn free_ports() -> Result<[u16; 3]> {
    // All are held until all are known.
    let held = [(); 3].map(|()| TcpListener::bind(("127.0.0.1", 0)));
    let mut ports = [0; 3];
    for (port, held) in ports.iter_mut().zip(&held) {
        *port = match held {
            Ok(listener) => listener.local_addr()?.port(),
            Err(error) => bail!("no free port: {error}"),
        };
    }
    Ok(ports)
}

/// One word of a shell's command.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_one_word_for_the_shell() {
        let path = Path::new("/a folder/it's here");
        let said = program("sh")
            .args(["-c", &format!("printf %s {}", quoted(path))])
            .output()
            .unwrap();
        assert_eq!(said.stdout, path.as_os_str().as_encoded_bytes());
    }
}
