//! The cookies that hold secrets: of a login and its halves, of links, and of a newly created secret.

use axum::http::{HeaderMap, HeaderValue, header};

/// Lifetime of the cookies of a login or a link, in seconds. The server ends both itself, earlier.
const KEPT: u32 = 90 * 24 * 60 * 60;
/// Lifetime of the cookie of a known browser, in seconds: the maximum in browsers.
const KNOWN: u32 = 400 * 24 * 60 * 60;
/// Time to log in at the provider and come back, in seconds.
const AWAY: u32 = 10 * 60;
/// Time to make the account of an invitation that was opened, in seconds.
const INVITED: u32 = 60 * 60;
/// Time to show a new secret on a plain form's page, in seconds: it is loaded at once.
const SHOWN: u32 = 60;

/// The app's cookies, for pages below one path.
#[derive(Debug, Clone)]
pub struct SecretCookies {
    /// The login.
    pub login: SecretCookie,
    /// The link of a visitor without an account.
    pub link: SecretCookie,
    /// Marks a browser that has logged in here before.
    pub device: SecretCookie,
    /// A login with OpenID Connect in progress.
    pub openid: SecretCookie,
    /// Half a login: a passkey is still to come.
    pub half: SecretCookie,
    /// What a passkey is asked.
    pub challenge: SecretCookie,
    /// The invitation that was opened.
    pub invitation: SecretCookie,
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
    /// Cookies for pages below `base`; over TLS they are bound to exactly this host.
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
            half: SecretCookie {
                seconds: AWAY,
                ..cookie("handrail-half")
            },
            challenge: SecretCookie {
                seconds: AWAY,
                ..cookie("handrail-challenge")
            },
            invitation: SecretCookie {
                seconds: INVITED,
                ..cookie("handrail-invitation")
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

    /// Whether the browser is connected over TLS.
    pub fn is_secure(&self) -> bool {
        !self.secure.is_empty()
    }

    /// A new secret, for the one page that shows it: a plain form is redirected
    /// there, and the secret must not be in the URL.
    pub fn one_time_secret(&self, page: &str) -> SecretCookie {
        let (base, secure) = (&self.base, self.secure);
        SecretCookie {
            name: "handrail-made".to_owned(),
            attributes: format!("Path={base}{page}; HttpOnly; SameSite=Strict{secure}"),
            seconds: SHOWN,
        }
    }
}

impl SecretCookie {
    /// Sets the cookie.
    pub fn given(&self, secret: &str) -> HeaderValue {
        let Self {
            name,
            attributes,
            seconds,
        } = self;
        value(&format!("{name}={secret}; Max-Age={seconds}; {attributes}"))
    }

    /// Deletes the cookie.
    pub fn taken(&self) -> HeaderValue {
        value(&format!("{}=; Max-Age=0; {}", self.name, self.attributes))
    }

    /// The secret in a request. Two cookies count as none: one of them was planted.
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
    HeaderValue::from_str(text).expect("secrets and paths are printable ASCII")
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
    fn over_tls_a_cookie_is_bound_to_its_host() {
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
    fn a_new_secret_is_sent_only_to_its_page() {
        let one_time_secret = SecretCookies::new("/a/b/", true)
            .one_time_secret("account")
            .given("s");
        assert_eq!(
            one_time_secret,
            "handrail-made=s; Max-Age=60; Path=/a/b/account; HttpOnly; SameSite=Strict; Secure"
        );
    }
}
