//! The proxies of `docs/OPERATING.md`, each started for real on this machine, and what `handrail doctor --url` says of it.
//!
//! `cargo test --test it proxies:: -- --ignored` needs nginx, haproxy and caddy (packages of Debian).

use crate::operating::ask;
use crate::process::{Process, command, run_in};
use crate::stage::{quick, soon};
use handrail::backend::rehearsal::Rehearsal;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A proxy. It ends with the test.
struct Front(Child);

impl Drop for Front {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A Handrail behind a proxy.
struct House {
    folder: TempDir,
    rehearsal: Rehearsal,
}

impl House {
    async fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let data = folder.path().join("data");
        run_in(&data, &["tls", "init", "127.0.0.1"]).await;
        let tls = |name: &str| fs::read(data.join("tls").join(name)).expect("it was made");
        let both = [tls("certificate.pem"), tls("key.pem")].concat();
        fs::write(folder.path().join("both.pem"), both).expect("it can be written");
        let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
        Self { folder, rehearsal }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    async fn serve(&self, options: &[&str]) -> Process {
        let backend = format!("http://{}", self.rehearsal.addr());
        let trusted = ["--trusted-proxy", "127.0.0.1", "--backend", &backend];
        Process::of(command(&self.data(), &[&trusted, options].concat())).await
    }

    /// What the doctor says, and whether all is well.
    async fn doctor(&self, options: &[&str], url: &str) -> (bool, String) {
        let backend = format!("http://{}", self.rehearsal.addr());
        let own = ["--listen", "127.0.0.1:0", "--backend", &backend];
        let options = [&own, options].concat();
        let output = ask(&options, &["doctor", "--url", url], &self.data()).await;
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8(text).expect("a text"),
        )
    }

    /// Starts a proxy that listens at `port`; `arguments` are followed by the path of its configuration.
    async fn front(&self, program: &str, arguments: &[&str], port: u16, config: &str) -> Front {
        let file = self.folder.path().join(format!("front-{port}"));
        fs::write(&file, config).expect("it can be written");
        let child = Command::new(program)
            .args(arguments)
            .arg(&file)
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let front = Front(child.expect("the package is installed"));
        soon("it listens", async || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        })
        .await;
        front
    }

    async fn nginx(&self, port: u16, location: &str) -> Front {
        let folder = self.folder.path().display();
        let config = format!(
            "daemon off; pid {folder}/nginx-{port}.pid; error_log {folder}/nginx.log; events {{}}
             http {{
               access_log off;
               client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
               uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
               map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
               server {{
                 listen 127.0.0.1:{port} ssl;
                 ssl_certificate {folder}/data/tls/certificate.pem; ssl_certificate_key {folder}/data/tls/key.pem;
                 {location}
               }}
             }}"
        );
        self.front("/usr/sbin/nginx", &["-c"], port, &config).await
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

#[track_caller]
fn assert_well((is_well, text): (bool, String), words: &str) {
    for words in [words, "WebSockets get through", "arrive as they are sent"] {
        assert!(is_well && text.contains(words), "{words}: {text}");
    }
    let proxy = text.lines().filter(|line| line.contains(" proxy "));
    eprintln!("{}", proxy.collect::<Vec<_>>().join("\n"));
}

const ALL: &str = "passes Host, address and scheme on";

/// What the README says of nginx, of this server.
fn nginx_location(path: &str, address: SocketAddr) -> String {
    format!(
        "location {path} {{
           proxy_pass http://{address};
           proxy_http_version 1.1;
           proxy_set_header Host $http_host;
           proxy_set_header Upgrade $http_upgrade;
           proxy_set_header Connection $connection_upgrade;
           proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
           proxy_set_header X-Forwarded-Proto $scheme;
           proxy_buffering off;
           client_max_body_size 100m;
         }}"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn nginx_with_tls_and_a_path() {
    let house = House::new().await;
    let base = ["--base", "/tools/handrail/"];
    let process = house.serve(&base).await;
    let port = free_port();
    let location = nginx_location("/tools/handrail/", process.address);
    let _front = house.nginx(port, &location).await;
    let url = format!("https://127.0.0.1:{port}/tools/handrail/");
    assert_well(house.doctor(&base, &url).await, ALL);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn a_proxy_that_leaves_something_out_is_told_what() {
    let house = House::new().await;
    let process = house.serve(&[]).await;
    let whole = nginx_location("/", process.address);
    for (left_out, words) in [
        (
            "proxy_set_header Upgrade $http_upgrade;",
            "does not pass WebSockets on",
        ),
        (
            "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
            "X-Forwarded-For",
        ),
        (
            "proxy_set_header X-Forwarded-Proto $scheme;",
            "X-Forwarded-Proto: https",
        ),
        ("proxy_set_header Host $http_host;", "in place of"),
    ] {
        let port = free_port();
        let _front = house.nginx(port, &whole.replace(left_out, "")).await;
        let (is_well, text) = house
            .doctor(&[], &format!("https://127.0.0.1:{port}"))
            .await;
        assert!(!is_well && text.contains(words), "{words}: {text}");
    }
    drop(process);
    let backend = format!("http://{}", house.rehearsal.addr());
    let process = Process::of(command(&house.data(), &["--backend", &backend])).await;
    let port = free_port();
    let location = nginx_location("/", process.address);
    let _front = house.nginx(port, &location).await;
    let (is_well, text) = house
        .doctor(&[], &format!("https://127.0.0.1:{port}"))
        .await;
    assert!(
        !is_well && text.contains("--trusted-proxy 127.0.0.1"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nginx"]
async fn a_tunnel_that_replaces_host_and_says_what_it_was() {
    let house = House::new().await;
    let process = house.serve(&[]).await;
    let port = free_port();
    let own = "proxy_set_header Host $http_host;";
    let instead = "proxy_set_header Host localhost; proxy_set_header X-Forwarded-Host $http_host;";
    let location = nginx_location("/", process.address).replace(own, instead);
    let _front = house.nginx(port, &location).await;
    let url = format!("https://127.0.0.1:{port}");
    assert_well(house.doctor(&[], &url).await, "in X-Forwarded-Host");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs caddy"]
async fn caddy_with_and_without_a_path() {
    let house = House::new().await;
    for path in ["/", "/tools/handrail/"] {
        let base = ["--base", path];
        let process = house.serve(&base).await;
        let (port, address) = (free_port(), process.address);
        let tls = house.data().join("tls");
        let tls = |name: &str| tls.join(name).display().to_string();
        let proxied = match path {
            "/" => format!("reverse_proxy {address}"),
            path => format!("handle {path}* {{\n reverse_proxy {address}\n }}"),
        };
        let config = format!(
            "{{\n admin off\n auto_https disable_redirects\n skip_install_trust\n }}\nhttps://127.0.0.1:{port} {{\n tls {} {}\n {proxied}\n}}\n",
            tls("certificate.pem"),
            tls("key.pem")
        );
        let arguments = ["run", "--adapter", "caddyfile", "--config"];
        let _front = house
            .front("/usr/bin/caddy", &arguments, port, &config)
            .await;
        let url = format!("https://127.0.0.1:{port}{path}");
        assert_well(house.doctor(&base, &url).await, ALL);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs haproxy"]
async fn haproxy_with_tls() {
    let house = House::new().await;
    let process = house.serve(&[]).await;
    let (port, address) = (free_port(), process.address);
    let both: &Path = &house.folder.path().join("both.pem");
    let config = format!(
        "defaults\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n
frontend https\n mode http\n bind 127.0.0.1:{port} ssl crt {}\n option forwardfor\n http-request set-header X-Forwarded-Proto https\n use_backend handrail\n
backend handrail\n mode http\n timeout tunnel 1h\n server handrail {address}\n",
        both.display()
    );
    let arguments = ["-db", "-f"];
    let _front = house
        .front("/usr/sbin/haproxy", &arguments, port, &config)
        .await;
    let url = format!("https://127.0.0.1:{port}");
    assert_well(house.doctor(&[], &url).await, ALL);
}
