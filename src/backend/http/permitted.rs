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
