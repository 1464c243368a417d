//! Connections of which none is used without the permission to change the backend.

use crate::backend::permit::Permit;
use futures_util::future::{BoxFuture, FutureExt as _};
use std::task::{Context, Poll};
use tower::{BoxError, Service};

/// A way to make connections, of which none is used without the permission to change the backend.
#[derive(Clone)]
pub(super) struct Permitted<S> {
    pub(super) inner: S,
    pub(super) permit: Permit,
}

impl<S, R> Service<R> for Permitted<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let connecting = self.inner.call(request);
        let permit = self.permit.clone();
        async move {
            let connection = connecting.await?;
            match permit.remaining().is_zero() {
                true => Err("the permission to change the backend has ended meanwhile".into()),
                false => Ok(connection),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Lease;
    use tower::{ServiceExt as _, service_fn};

    #[tokio::test]
    async fn a_connection_that_comes_after_the_permission_is_not_used() {
        let lease = Lease::counted(std::time::Duration::ZERO);
        let losing = lease.clone();
        let connect = service_fn(move |is_late: bool| {
            if is_late {
                losing.lose();
            }
            async { Ok::<_, BoxError>("connected") }
        });
        let mut permitted = Permitted {
            inner: connect,
            permit: Permit::of(Some(lease)),
        };
        let permitted = permitted.ready().await.expect("it is ready");
        assert_eq!(permitted.call(false).await.expect("in time"), "connected");
        assert!(permitted.call(true).await.is_err());
    }
}
