//! Tests that hold for both dialects of the backend.

/// Makes two tests of each of these functions, `name::v0` and `name::v1`: one over each dialect of the backend.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            use handrail::backend::rehearsal::Dialect;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v0() {
                super::$name(Dialect::OpenHands).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn v1() {
                super::$name(Dialect::AgentServer).await;
            }
        }
    )*};
}
pub(crate) use on_both;
