//! Random interleavings of answers and network faults while a command is pending: it runs only if an approval of
//! exactly this command counted, and only once. Number of commands: HANDRAIL_INTERLEAVINGS (60, or 150 with
//! HANDRAIL_ALL).

mod play;

use crate::both::on_both;
use crate::stage::{ask_always, bridge, hub_in, me, quick, repetitions};
use crate::tab::Tab;
use handrail::backend::NewConversation;
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use play::{Asked, MOVES, Play};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use tempfile::TempDir;
use tokio::task::JoinSet;

on_both![only_approved_commands_run_in_all_interleavings,];

/// One of several concurrent plays, each with its own backend and Handrail. Returns how many commands were pending, and
/// how many were approved and ran.
async fn play_alone(dialect: Dialect, number: u8, wanted: usize) -> (usize, u32) {
    let options = Options { dialect, ..quick() };
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let backend = bridge(dialect, rehearsal.addr(), None);
    let hub = hub_in(folder.path(), backend).await;
    ask_always(&hub).await;
    let words = NewConversation::saying("[[scenario:long:20000]]");
    let id = hub.create(me(), "", words).await.expect("it is created");
    let mut play = Play {
        rehearsal: &rehearsal,
        folder: folder.path(),
        tab: Tab::opened(&hub, &id).await,
        hub,
        seen: BTreeSet::new(),
        messages: 0,
        others: 0,
    };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
    let mut random = TestRunner::new_with_rng(Config::default(), random);
    let moves = vec((select(&MOVES[..]), any::<bool>()), 1..6);
    let mut pending: Vec<Asked> = Vec::new();
    while pending.len() < wanted {
        let moves = moves.new_tree(&mut random).expect("moves").current();
        pending.push(play.play(moves).await);
    }
    // Waits until the last answers have taken effect.
    play.next().await;
    let stats = rehearsal.stats();
    let mut ran = 0;
    for command in &pending {
        let times = stats.executed(&id, &command.command);
        let context = format!("{} after {:?}", command.command, command.moves);
        assert!(
            times <= u32::from(command.yes),
            "{context}: ran {times} times"
        );
        ran += times;
    }
    if dialect == Dialect::AgentServer {
        // Only here, because 0.x carries edits out before they are approved.
        let others = stats.executions[&id].iter();
        let others = others.filter(|(name, _)| !name.starts_with("run ") && *name != "think");
        let others: u32 = others.map(|(_, times)| times).sum();
        assert!(others <= play.others, "{others} of {} ran", play.others);
    }
    (pending.len(), ran)
}

async fn only_approved_commands_run_in_all_interleavings(dialect: Dialect) {
    let wanted = std::env::var("HANDRAIL_INTERLEAVINGS").ok();
    let wanted = wanted.map_or(repetitions(60, 150), |number| {
        number.parse().expect("a number")
    });
    // Most of the time is spent waiting for a connection, so several plays run concurrently.
    let players = (wanted / 15).clamp(1, 40);
    let mut playing = JoinSet::new();
    for number in 0..players {
        let share = wanted / players + usize::from(number < wanted % players);
        playing.spawn(play_alone(dialect, number as u8, share));
    }
    let played = playing.join_all().await.into_iter();
    let (waited, ran) = played.fold((0, 0), |all, play| (all.0 + play.0, all.1 + play.1));
    eprintln!("{waited} commands waited, {ran} were approved and ran");
    assert_eq!(waited, wanted);
    assert!(ran > 0, "some are approved");
}
