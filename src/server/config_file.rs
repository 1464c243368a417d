//! The configuration file: TOML, whose keys are the long options of `handrail --help`. What the command line says goes before
//! a variable, and that before the file.
//!
//! A value of the file is parsed as an option, so each option has one description, one parser and one check.
//!
//! Long because reading and showing need the same description of each option, and the tests do both.

use super::commands::ConfigCommand;
use super::config::Config;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory as _, FromArgMatches as _};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use toml::{Table, Value};

/// Longest file, in bytes.
const LONGEST: u64 = 1 << 20;
/// How similar a word must be to an option for which it is mistaken.
const SIMILAR: f64 = 0.75;

/// The options of this process, and where each comes from.
pub struct Configured {
    /// The options.
    pub config: Config,
    matches: ArgMatches,
    /// Ids of the options that the file decides.
    from_file: BTreeSet<String>,
}

impl Configured {
    /// Reads the options of a command line, of the environment and of the file that they name. Ends the process for
    /// `--help`, `--version` and what clap refuses on the command line.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong in it.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        match Self::of(&arguments) {
            Ok(configured) => Ok(configured),
            Err(Refused::Options(error)) => error.exit(),
            Err(Refused::File(text)) => Err(text),
        }
    }

    fn of(arguments: &[OsString]) -> Result<Self, Refused> {
        // What is wrong with the command line itself is found below.
        let given = Config::command()
            .ignore_errors(true)
            .try_get_matches_from(arguments)
            .map_err(Refused::Options)?;
        let mut words: Vec<OsString> = arguments.iter().take(1).cloned().collect();
        let mut from_file = BTreeSet::new();
        if let Some(file) = given
            .try_get_one::<std::path::PathBuf>("config")
            .ok()
            .flatten()
        {
            let options = options_of(file).map_err(Refused::File)?;
            refuse_values(file, &options)?;
            for (id, options) in options {
                if is_given(&given, &id) {
                    continue;
                }
                words.extend(options);
                from_file.insert(id);
            }
        }
        words.extend(arguments.iter().skip(1).cloned());
        let matches = Config::command()
            .try_get_matches_from(words)
            .map_err(Refused::Options)?;
        let config = Config::from_arg_matches(&matches).map_err(Refused::Options)?;
        Ok(Self {
            config,
            matches,
            from_file,
        })
    }

    /// Runs a command about the configuration; the text to print.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn run(&self, command: &ConfigCommand) -> Result<String, String> {
        match command {
            ConfigCommand::Show => Ok(self.show()),
            ConfigCommand::Check => {
                self.config.check()?;
                self.config.keys()?;
                Ok(match (&self.config.config, self.from_file.len()) {
                    (None, _) => {
                        "The options are valid. No configuration file is named.".to_owned()
                    }
                    (Some(file), count) => format!(
                        "{} is valid; options that it decides: {count}.",
                        file.display()
                    ),
                })
            }
        }
    }

    /// All options as a file, each with where it comes from.
    fn show(&self) -> String {
        let mut text = String::new();
        for arg in Config::command().get_arguments() {
            let Some(key) = key_of(arg) else { continue };
            let id = arg.get_id().as_str();
            let source = match self.matches.value_source(id) {
                _ if self.from_file.contains(id) => "the file".to_owned(),
                Some(ValueSource::CommandLine) => "the command line".to_owned(),
                Some(ValueSource::EnvVariable) => arg.get_env().map_or_else(String::new, |name| {
                    format!("the variable {}", name.to_string_lossy())
                }),
                _ => "the default".to_owned(),
            };
            let values: Vec<String> = self
                .matches
                .get_raw(id)
                .into_iter()
                .flatten()
                .map(|value| value.to_string_lossy().into_owned())
                .collect();
            let shown = match &values[..] {
                [] => None,
                _ if arg.is_hide_env_values_set() => Some(Value::from("(hidden)")),
                [value] if is_flag(arg) => Some(Value::Boolean(value == "true")),
                [value] if !is_list(arg) => Some(Value::from(value.as_str())),
                _ => Some(Value::from(values)),
            };
            let line = match shown {
                Some(value) => format!("{key} = {value}  # {source}"),
                None => format!("# {key} is not set"),
            };
            let _ = writeln!(text, "{line}");
        }
        text.trim_end().to_owned()
    }
}

/// Why there is no configuration.
#[derive(Debug)]
enum Refused {
    /// In clap's words, or it has printed what was asked for.
    Options(clap::Error),
    /// A sentence about the file.
    File(String),
}

/// Whether the command line or the environment has an option.
fn is_given(matches: &ArgMatches, id: &str) -> bool {
    let source = matches
        .try_contains_id(id)
        .ok()
        .and_then(|_| matches.value_source(id));
    matches!(
        source,
        Some(ValueSource::CommandLine | ValueSource::EnvVariable)
    )
}

/// The options that a file has, by id, each as it would stand on a command line.
fn options_of(file: &Path) -> Result<Vec<(String, Vec<OsString>)>, String> {
    let name = file.display();
    let unreadable =
        |error: std::io::Error| format!("The configuration file {name} cannot be read: {error}.");
    let mut text = String::new();
    std::fs::File::open(file)
        .and_then(|opened| opened.take(LONGEST + 1).read_to_string(&mut text))
        .map_err(unreadable)?;
    if text.len() as u64 > LONGEST {
        return Err(format!(
            "The configuration file {name} is longer than 1 MB."
        ));
    }
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        format!("The configuration file {name} is not valid TOML: {error}")
    })?;
    let command = Config::command();
    let known: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| key_of(arg).is_some())
        .collect();
    let mut options = Vec::new();
    for (key, value) in table {
        let written = key.replace('_', "-");
        let Some(arg) = known.iter().find(|arg| key_of(arg) == Some(&written)) else {
            return Err(unknown(&name.to_string(), &key, &known));
        };
        let words = words_of(arg, &value)
            .map_err(|wanted| format!("In {name}, \"{key}\" must be {wanted}."))?;
        options.push((arg.get_id().to_string(), words));
    }
    Ok(options)
}

/// Rejects a file with a value that its option does not take. Whether options go together is checked with all of them.
fn refuse_values(file: &Path, options: &[(String, Vec<OsString>)]) -> Result<(), Refused> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    for (_, words) in options {
        let words = [OsString::from("handrail")]
            .into_iter()
            .chain(words.clone());
        let Err(error) = Config::command().try_get_matches_from(words) else {
            continue;
        };
        if matches!(error.kind(), ErrorKind::MissingRequiredArgument) {
            continue;
        }
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => text.clone(),
            _ => String::new(),
        };
        let why =
            std::error::Error::source(&error).map_or_else(String::new, |why| format!(" {why}"));
        return Err(Refused::File(format!(
            "In {}, \"{}\" is no value for {}.{why}",
            file.display(),
            text(ContextKind::InvalidValue),
            text(ContextKind::InvalidArg),
        )));
    }
    Ok(())
}

fn unknown(file: &str, key: &str, known: &[&Arg]) -> String {
    let written = key.replace('_', "-");
    let near = known
        .iter()
        .filter_map(|arg| key_of(arg))
        .map(|option| (strsim::jaro_winkler(&written, option), option))
        .filter(|(likeness, _)| *likeness >= SIMILAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    let hint = near.map_or_else(
        || "`handrail --help` lists the options.".to_owned(),
        |(_, option)| format!("Did you mean \"{option}\"?"),
    );
    format!("In {file}, \"{key}\" is no option. {hint}")
}

/// The key of an option in the file; `None` for what a file cannot say.
fn key_of(arg: &Arg) -> Option<&str> {
    let key = arg.get_long()?;
    (!matches!(key, "help" | "version" | "config")).then_some(key)
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse)
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// An option as words of a command line. The error: what its value must be.
fn words_of(arg: &Arg, value: &Value) -> Result<Vec<OsString>, &'static str> {
    let key = key_of(arg).unwrap_or_default();
    if is_flag(arg) {
        return match value {
            Value::Boolean(true) => Ok(vec![format!("--{key}").into()]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => Err("true or false"),
        };
    }
    let word = |value: &Value| match value {
        Value::String(text) => Some(format!("--{key}={text}").into()),
        Value::Integer(number) => Some(format!("--{key}={number}").into()),
        Value::Float(number) => Some(format!("--{key}={number}").into()),
        _ => None,
    };
    match value {
        Value::Array(values) if is_list(arg) => {
            let words: Option<Vec<_>> = values.iter().map(word).collect();
            words.ok_or("a list of texts")
        }
        value if is_list(arg) => word(value)
            .map(|word| vec![word])
            .ok_or("a text, or a list of texts"),
        value => word(value)
            .map(|word| vec![word])
            .ok_or("a text or a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration of these arguments with this file.
    fn read(file: &str, arguments: &[&str]) -> Result<Configured, Refused> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("handrail.toml");
        std::fs::write(&path, file).expect("a file");
        let named = format!("--config={}", path.display());
        let words = ["handrail", &named]
            .into_iter()
            .chain(arguments.iter().copied());
        Configured::of(&words.map(OsString::from).collect::<Vec<_>>())
    }

    fn refused(file: &str) -> String {
        match read(file, &[]) {
            Err(Refused::File(text)) => text,
            Err(Refused::Options(error)) => error.to_string(),
            Ok(_) => "accepted".to_owned(),
        }
    }

    #[test]
    fn a_file_has_the_options_and_the_command_line_goes_before_it() {
        let file = "listen = \"127.0.0.1:9\"\ntrust_local = true\nallow-host = [\"a.lan\", \"b.lan\"]\nbase = \"/x/\"\n";
        let one = read(file, &[]).expect("valid");
        assert_eq!(one.config.listen.port(), 9);
        assert!(one.config.trust_local);
        assert_eq!(one.config.allow_host, ["a.lan", "b.lan"]);
        let other = read(file, &["--listen", "127.0.0.1:7", "--allow-host", "c.lan"]);
        let other = other.expect("valid");
        assert_eq!(other.config.listen.port(), 7);
        assert_eq!(other.config.allow_host, ["c.lan"]);
        assert!(other.config.trust_local);
        let shown = other.run(&ConfigCommand::Show).expect("text");
        for line in [
            "listen = \"127.0.0.1:7\"  # the command line",
            "trust-local = true  # the file",
            "allow-host = [\"c.lan\"]  # the command line",
            "log = \"info\"  # the default",
            "# tls-key is not set",
        ] {
            assert!(
                shown.lines().any(|shown| shown == line),
                "{line} in\n{shown}"
            );
        }
        // What is shown is a file with the same meaning.
        let again = read(&shown, &[]).expect("valid");
        assert_eq!(again.config.allow_host, other.config.allow_host);
        assert_eq!(again.config.listen, other.config.listen);
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said_with_what_is_right() {
        for (file, says) in [
            (
                "lisen = \"127.0.0.1:9\"",
                "\"lisen\" is no option. Did you mean \"listen\"?",
            ),
            ("xyz = 1", "`handrail --help` lists the options."),
            (
                "listen = \"nowhere\"",
                "\"nowhere\" is no value for --listen",
            ),
            ("listen = 7", "\"7\" is no value for --listen"),
            (
                "trust_local = \"yes\"",
                "\"trust_local\" must be true or false",
            ),
            ("listen = [\"127.0.0.1:9\"]", "must be a text or a number"),
            ("allow_host = [[1]]", "must be a list of texts"),
            ("config = \"other.toml\"", "\"config\" is no option."),
            ("listen = ", "is not valid TOML"),
            (
                "[server]\nlisten = \"127.0.0.1:9\"",
                "\"server\" is no option.",
            ),
        ] {
            let text = refused(file);
            assert!(text.contains(says), "{says} in: {text}");
        }
        let nowhere = Configured::of(&["handrail", "--config=/nowhere/x.toml"].map(OsString::from));
        let Err(Refused::File(text)) = nowhere else {
            panic!("there is no such file");
        };
        assert!(text.contains("/nowhere/x.toml cannot be read"));
    }

    #[test]
    fn options_that_need_each_other_may_stand_in_different_places() {
        let file = "tls_certificate = \"/c.pem\"";
        assert!(matches!(read(file, &[]), Err(Refused::Options(_))));
        assert!(read(file, &["--tls-key", "/k.pem"]).is_ok());
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = read("backend_key = \"s3cret\"", &[]).expect("valid");
        let shown = shown.run(&ConfigCommand::Show).expect("text");
        assert!(!shown.contains("s3cret") && shown.contains("backend-key = \"(hidden)\""));
    }
}
