//! A real backend for the live tests: installed, started, configured, and stopped however the tests end.
//!
//! One shell process owns everything, and its standard input is a pipe from this process. When this process ends, for
//! whatever reason, the pipe closes, and the shell stops what it started. Scripts in the folders know how a backend is
//! installed, started and stopped; this module only decides when.
//!
//! Long because whatever is started must be stopped in the same place.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::steps::{program, root, run, step, target};

/// Starts everything, reports whether it is ready, waits for the end of its input, and stops everything.
///
/// An interrupt must stop everything, too, so a signal only ends the waiting.
const GUARD: &str = r#"
trap : INT TERM HUP
eval "$BESIDE"
sh -c "$START" >&2 &&
  curl --silent --show-error --fail --noproxy '*' --output "$STATE/settings.log" --request "$METHOD" \
    --header 'content-type: application/json' --header "X-Session-API-Key: $KEY" \
    --data "$SETTINGS" "$ADDRESS$ROUTE" &&
  echo ready || echo failed
cat >"$STATE/guard.log"
eval "$END" >&2
"#;

/// Model and tools for an OpenHands. The scripts of the others start their own model.
const BESIDE_OPENHANDS: &str = r#"
"$PYTHON" "$SCRIPTS/fake_llm.py" --port "$MODEL_PORT" >"$STATE/model.log" 2>&1 &
model=$!
"$PYTHON" "$SCRIPTS/mcp_demo.py" "$MCP_PORT" >"$STATE/mcp.log" 2>&1 &
mcp=$!
"#;

/// The backend for the live tests.
#[derive(Clone, Copy)]
pub enum Kind {
    /// OpenHands 0.62.
    OpenHands,
    /// agent-server 1.58.
    AgentServer,
    /// App server 1.11, with a process for each sandbox.
    AppServer,
}

impl Kind {
    /// Its folder within the folder of all scripts, and the name of its start script.
    const fn scripts(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenHands => ("v0", "start.sh"),
            Self::AgentServer => ("v1", "run.sh"),
            Self::AppServer => ("app", "start.sh"),
        }
    }

    /// The variable that names an existing installation, and the default folder.
    const fn installation(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenHands => ("HANDRAIL_OPENHANDS", "openhands"),
            Self::AgentServer => ("HANDRAIL_AGENT_SERVER", "agent-server"),
            Self::AppServer => ("HANDRAIL_APP_SERVER", "app-server"),
        }
    }
}

/// A running backend; dropping it stops it.
pub struct Backend {
    guard: Child,
    /// Environment variables that describe it to the tests.
    pub variables: Vec<(&'static str, String)>,
}

impl Backend {
    /// Installs the backend if necessary, and starts it with a scripted model and empty state.
    ///
    /// Errors: a script is missing or fails, or the backend does not start.
    pub fn start(kind: Kind) -> Result<Self> {
        let scripts = scripts(kind)?;
        let installed = installed(kind, &scripts)?;
        let state = target().join(format!("{}-state", kind.installation().1));
        if state.exists() {
            fs::remove_dir_all(&state)?;
        }
        fs::create_dir_all(&state)?;
        let plan = match kind {
            Kind::OpenHands => openhands(&scripts, &installed, &state)?,
            Kind::AgentServer => agent_server(&scripts, &installed, &state)?,
            Kind::AppServer => app_server(&scripts, &installed, &state)?,
        };
        step("the real backend", || {
            up(plan, &scripts, &installed, &state)
        })
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        if let Err(error) = self.guard.wait() {
            eprintln!("The backend may still run: {error}");
        }
    }
}

/// The folder with the scripts that install, start and stop the backend.
fn scripts(kind: Kind) -> Result<PathBuf> {
    let (folder, script) = kind.scripts();
    let all = env::var_os("HANDRAIL_BACKENDS").filter(|all| !all.is_empty());
    let all = all.context(
        "there is no backend to test with: set HANDRAIL_LIVE to the address of one, or HANDRAIL_BACKENDS to a folder with \
         scripts that install and start one",
    )?;
    let folder = root().join(all).join(folder);
    ensure!(
        folder.join(script).is_file(),
        "HANDRAIL_BACKENDS: {} has no {script}",
        folder.display()
    );
    Ok(folder.canonicalize()?)
}

/// The folder of its installation.
fn installed(kind: Kind, scripts: &Path) -> Result<PathBuf> {
    let (variable, folder) = kind.installation();
    if let Some(folder) = env::var_os(variable).filter(|folder| !folder.is_empty()) {
        let folder = root().join(folder);
        ensure!(
            folder.join("venv/bin/python").is_file(),
            "{variable} is {}, where nothing is installed",
            folder.display()
        );
        return Ok(folder);
    }
    let folder = target().join(folder);
    // Python is installed first and the server last; the mark written at the end tells a complete installation from an
    // aborted one.
    let mark = folder.join("complete");
    if !mark.is_file() {
        fs::create_dir_all(&folder)?;
        let into = match kind {
            Kind::OpenHands | Kind::AppServer => folder.clone(),
            Kind::AgentServer => folder.join("venv"),
        };
        step("installing the backend", || {
            run(program(scripts.join("install.sh")).arg(into))
        })?;
        fs::write(mark, "")?;
    }
    Ok(folder)
}

/// How to start and stop a backend.
struct Plan {
    end: String,
    /// Environment variables of the guard.
    with: Vec<(&'static str, String)>,
    variables: Vec<(&'static str, String)>,
}

fn openhands(scripts: &Path, installed: &Path, state: &Path) -> Result<Plan> {
    let [server, model, mcp] = free_ports()?;
    let script = |name: &str| {
        let words = [scripts.join(name).as_path(), installed, state].map(quoted);
        words.join(" ")
    };
    // Three concurrent conversations are OpenHands' default, and the tests rely on it.
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
    Ok(Plan {
        end: format!("{stop}; kill $model $mcp"),
        with: vec![
            ("BESIDE", BESIDE_OPENHANDS.to_owned()),
            ("START", start.clone()),
            ("METHOD", "POST".to_owned()),
            ("ROUTE", "/api/settings".to_owned()),
            ("KEY", String::new()),
            ("SETTINGS", settings),
            ("ADDRESS", address.clone()),
            ("MODEL_PORT", model.to_string()),
            ("MCP_PORT", mcp.to_string()),
        ],
        variables: vec![
            ("HANDRAIL_LIVE", address),
            ("HANDRAIL_LIVE_RESTART", format!("{stop} && {start}")),
            // Frees the memory that ended conversations leave behind.
            ("HANDRAIL_LIVE_REAP", script("reap.sh")),
        ],
    })
}

fn agent_server(scripts: &Path, installed: &Path, state: &Path) -> Result<Plan> {
    const KEY: &str = "the-key-of-the-live-tests";
    let [server, model] = free_ports()?;
    let script = format!(
        "VENV={} DATA={} PORT={server} LLM_PORT={model} OH_SESSION_API_KEYS_0={KEY} {}",
        quoted(&installed.join("venv")),
        quoted(state),
        quoted(&scripts.join("run.sh"))
    );
    let start = format!("{script} start");
    let address = format!("http://127.0.0.1:{server}");
    // A restart in the tests simulates a crash.
    let restart = format!(
        "pid=$(cat {}); kill -9 $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done; {start}",
        quoted(&state.join("server.pid"))
    );
    // Its words are separated by blanks.
    let program_of_acp = format!(
        "{} {}",
        installed.join("venv/bin/python").display(),
        scripts.join("fake_acp.py").display()
    );
    Ok(Plan {
        end: format!("{script} stop"),
        with: vec![
            ("BESIDE", String::new()),
            ("START", start),
            ("METHOD", "PATCH".to_owned()),
            ("ROUTE", "/api/settings".to_owned()),
            ("SETTINGS", scripted_model(model)),
            ("ADDRESS", address.clone()),
            ("KEY", KEY.to_owned()),
        ],
        variables: vec![
            ("HANDRAIL_LIVE", address),
            ("HANDRAIL_LIVE_KEY", KEY.to_owned()),
            ("HANDRAIL_LIVE_ACP", program_of_acp),
            ("HANDRAIL_LIVE_RESTART", restart),
        ],
    })
}

fn app_server(scripts: &Path, installed: &Path, state: &Path) -> Result<Plan> {
    let [server, model, sandboxes] = free_ports()?;
    let script = |name: &str| {
        let words = [scripts.join(name).as_path(), installed, state].map(quoted);
        words.join(" ")
    };
    // The sandboxes take the ports from this one on.
    let start = format!(
        "PORT={server} LLM_PORT={model} SANDBOX_PORT={sandboxes} {}",
        script("start.sh")
    );
    let address = format!("http://127.0.0.1:{server}");
    Ok(Plan {
        end: script("stop.sh"),
        with: vec![
            ("BESIDE", String::new()),
            ("START", start.clone()),
            ("METHOD", "POST".to_owned()),
            ("ROUTE", "/api/v1/settings".to_owned()),
            ("SETTINGS", scripted_model(model)),
            ("ADDRESS", address.clone()),
            ("KEY", String::new()),
        ],
        variables: vec![
            ("HANDRAIL_LIVE", address),
            ("HANDRAIL_LIVE_APP", "1".to_owned()),
            // Its sandboxes go on without it.
            (
                "HANDRAIL_LIVE_RESTART",
                format!("KEEP_SANDBOXES=1 {} && {start}", script("stop.sh")),
            ),
        ],
    })
}

/// Settings of 1.x for the scripted model.
fn scripted_model(port: u16) -> String {
    format!(
        r#"{{"agent_settings_diff":{{"llm":{{"model":"openai/fake-model","api_key":"sk-none",
        "base_url":"http://127.0.0.1:{port}/v1","num_retries":2,"retry_min_wait":1,"retry_max_wait":2,
        "input_cost_per_token":1e-06,"output_cost_per_token":3e-06}}}},
        "conversation_settings_diff":{{"confirmation_mode":false,"security_analyzer":"llm"}}}}"#
    )
}

fn up(plan: Plan, scripts: &Path, installed: &Path, state: &Path) -> Result<Backend> {
    let mut guard = program("sh")
        .args(["-c", GUARD])
        .env("PYTHON", installed.join("venv/bin/python"))
        .env("SCRIPTS", scripts)
        .env("STATE", state)
        .env("END", plan.end)
        .envs(plan.with)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let output = guard.stdout.take().expect("the output was just piped");
    let backend = Backend {
        guard,
        variables: plan.variables,
    };
    is_ready(output).with_context(|| format!("its logs are in {}", state.display()))?;
    Ok(backend)
}

fn is_ready(output: ChildStdout) -> Result<()> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    ensure!(line.trim_end() == "ready", "it did not start");
    Ok(())
}

/// Ports without a listener.
fn free_ports<const N: usize>() -> Result<[u16; N]> {
    // All ports stay bound until all are known.
    let held = [(); N].map(|()| TcpListener::bind(("127.0.0.1", 0)));
    let mut ports = [0; N];
    for (port, held) in ports.iter_mut().zip(&held) {
        *port = match held {
            Ok(listener) => listener.local_addr()?.port(),
            Err(error) => bail!("no free port: {error}"),
        };
    }
    Ok(ports)
}

/// Quotes a path for the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_path_is_one_word_for_the_shell() {
        let path = Path::new("/a folder/it's here");
        let output = program("sh")
            .args(["-c", &format!("printf %s {}", quoted(path))])
            .output()
            .unwrap();
        assert_eq!(output.stdout, path.as_os_str().as_encoded_bytes());
    }
}
