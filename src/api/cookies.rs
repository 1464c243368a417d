//! The cookies that hold secrets: of a login, of a link, and of what was made just now.

use axum::http::{HeaderMap, HeaderValue, header};

/// Days that a browser keeps a login or a link. The server ends both itself, earlier.
const KEPT: u32 = 90 * 24 * 60 * 60;
/// Seconds that a browser is known: as long as browsers keep any cookie.
const KNOWN: u32 = 400 * 24 * 60 * 60;
/// Seconds in which somebody logs in elsewhere and comes back.
const AWAY: u32 = 10 * 60;
/// Seconds in which a plain form's page shows what was made: it is loaded at once.
const SHOWN: u32 = 60;

/// Our cookies, for pages below one path.
#[derive(Debug, Clone)]
pub struct SecretCookies {
    /// Who is logged in.
    pub login: SecretCookie,
    /// Who came by a link to a conversation.
    pub link: SecretCookie,
    /// That somebody has logged in here before.
    pub device: SecretCookie,
    /// Who is logging in by OpenID Connect.
    pub openid: SecretCookie,
    base: String,
    secure: &'static str,
}

/// A cookie that holds a secret.
#[derive(Debug, Clone)]
pub struct SecretCookie {
    name: String,
    attributes: String,
    seconds: u32,
}

impl SecretCookies {
    /// For pages below `base`; over TLS they are bound to exactly this host.
    pub fn new(base: &str, tls: bool) -> Self {
        let (before, path, secure) = if tls {
            ("__Host-", "/", "; Secure")
        } else {
            ("", base, "")
        };
        let cookie = |name: &str| SecretCookie {
            name: format!("{before}{name}"),
            attributes: format!("Path={path}; HttpOnly; SameSite=Lax{secure}"),
            seconds: KEPT,
        };
        Self {
            login: cookie("handrail"),
            link: cookie("handrail-link"),
            device: SecretCookie {
                seconds: KNOWN,
                ..cookie("handrail-device")
            },
            openid: SecretCookie {
                name: "handrail-openid".to_owned(),
                attributes: format!("Path={base}login/openid; HttpOnly; SameSite=Lax{secure}"),
                seconds: AWAY,
            },
            base: base.to_owned(),
            secure,
        }
    }

    /// Whether they are for a browser that has reached us over TLS.
    pub fn is_secure(&self) -> bool {
        !self.secure.is_empty()
    }

    /// What was made just now, for the one page that shows it: a plain form is answered by sending the browser
    /// there, and the secret must not stand in the address.
    pub fn made(&self, page: &str) -> SecretCookie {
        let (base, secure) = (&self.base, self.secure);
        SecretCookie {
            name: "handrail-made".to_owned(),
            attributes: format!("Path={base}{page}; HttpOnly; SameSite=Strict{secure}"),
            seconds: SHOWN,
        }
    }
}

impl SecretCookie {
    /// Gives a browser a secret.
    pub fn given(&self, secret: &str) -> HeaderValue {
        let Self {
            name,
            attributes,
            seconds,
        } = self;
        value(&format!("{name}={secret}; Max-Age={seconds}; {attributes}"))
    }

    /// Takes it away again.
    pub fn taken(&self) -> HeaderValue {
        value(&format!("{}=; Max-Age=0; {}", self.name, self.attributes))
    }

    /// The secret of a request. Two of them are none: one was put there by somebody else.
    pub fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let cookies = headers.get_all(header::COOKIE).iter();
        let mut ours = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(name, _)| *name == self.name)
            .map(|(_, secret)| secret);
        let first = ours.next()?;
        ours.next().is_none().then_some(first)
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("secrets and paths of ours are printable ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cookies: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_static(cookie));
        }
        let login = SecretCookies::new("/", false).login;
        login.read(&headers).map(str::to_owned)
    }

    #[test]
    fn a_cookie_is_read_if_there_is_exactly_one() {
        assert_eq!(read(&["theme=dark; handrail=abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["handrail=abc; handrail=def"]), None);
        assert_eq!(read(&["handrail=abc", "handrail=abc"]), None);
        assert_eq!(read(&["nothandrail=abc; handrail-link=x; handrail"]), None);
    }

    #[test]
    fn over_tls_a_cookie_belongs_to_this_host_alone() {
        let plain = SecretCookies::new("/a/b/", false).login.given("s");
        assert_eq!(
            plain,
            "handrail=s; Max-Age=7776000; Path=/a/b/; HttpOnly; SameSite=Lax"
        );
        let secure = SecretCookies::new("/a/b/", true).link.given("s");
        assert_eq!(
            secure,
            "__Host-handrail-link=s; Max-Age=7776000; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }

    #[test]
    fn what_was_made_is_sent_to_its_page_alone() {
        let made = SecretCookies::new("/a/b/", true).made("account").given("s");
        assert_eq!(
            made,
            "handrail-made=s; Max-Age=60; Path=/a/b/account; HttpOnly; SameSite=Strict; Secure"
        );
    }
}
