//! Guarantees of a timeline's list.

use super::*;
use crate::conversation::{Actor, Kind};
use crate::render::{CardView, MessageView};

fn row(id: i64, pos: i64, seq: i64) -> RowView {
    RowView {
        id,
        pos,
        seq,
        at: 0,
        from: Actor::Agent,
        by: None,
        by_rule: false,
        amended: false,
        touched: false,
        kind: Kind::Message,
        card: CardView::Message(MessageView {
            text: format!("{id} at {seq}"),
            ..MessageView::default()
        }),
    }
}

fn ids(rows: Vec<Entry>) -> Vec<i64> {
    rows.iter().map(|entry| entry.key.id).collect()
}

fn with_rows(count: i64, test: impl FnOnce(Rows)) {
    Owner::new().with(|| {
        test(Rows::new(
            (1..=count).map(|id| row(id, id, id)).collect(),
            true,
        ));
    });
}

#[test]
fn rows_are_in_upstream_order_regardless_of_arrival() {
    with_rows(0, |rows| {
        rows.upsert(vec![row(3, 30, 3), row(1, 10, 1), row(2, 10, 2)]);
        assert_eq!(ids(rows.all()), [1, 2, 3]);
    });
}

#[test]
fn only_a_newer_version_replaces_a_row() {
    with_rows(3, |rows| {
        assert_eq!(rows.upsert(vec![row(2, 2, 9)]), 0);
        rows.upsert(vec![row(2, 2, 4)]);
        assert_eq!(rows.all()[1].view.get_untracked().seq, 9);
    });
}

#[test]
fn a_moved_row_appears_once() {
    with_rows(3, |rows| {
        rows.upsert(vec![row(1, 7, 9)]);
        assert_eq!(ids(rows.all()), [2, 3, 1]);
    });
}

#[test]
fn repeated_rows_change_nothing() {
    with_rows(3, |rows| {
        assert_eq!(rows.upsert(vec![row(4, 4, 4)]), 1);
        assert_eq!(rows.upsert(vec![row(4, 4, 4)]), 0);
        assert_eq!(ids(rows.all()), [1, 2, 3, 4]);
    });
}

#[test]
fn at_most_three_hundred_are_shown() {
    with_rows(1000, |rows| {
        assert_eq!(rows.shown().len(), SHOWN);
        assert_eq!(rows.shown()[0].key.id, 701);
        assert!(rows.show_older());
        assert_eq!(rows.shown()[0].key.id, 641);
        assert!(rows.has_newer_now());
        rows.show_newest();
        assert_eq!(rows.shown()[0].key.id, 701);
    });
}

#[test]
fn new_rows_do_not_move_the_window_of_a_reader_far_above() {
    with_rows(400, |rows| {
        rows.show_older();
        let before = ids(rows.shown());
        rows.upsert(vec![row(401, 401, 401)]);
        assert_eq!(ids(rows.shown()), before);
    });
}

#[test]
fn a_changed_row_of_an_unloaded_page_hides_no_gap() {
    with_rows(3, |rows| {
        rows.upsert(vec![row(90, 90, 90), row(2, 2, 91)]);
        rows.refresh(vec![row(190, 190, 190), row(191, 191, 191)], true);
        assert_eq!(rows.upsert(vec![row(3, 3, 192), row(192, 192, 193)]), 1);
        assert_eq!(ids(rows.all()), [190, 191, 192]);
        rows.prepend(vec![row(3, 3, 192), row(189, 189, 189)], false);
        rows.upsert(vec![row(1, 1, 194)]);
        assert_eq!(ids(rows.all()), [1, 3, 189, 190, 191, 192]);
    });
}

#[test]
fn a_new_snapshot_replaces_the_known_rows() {
    with_rows(3, |rows| {
        rows.refresh(vec![row(3, 3, 3), row(4, 4, 4)], true);
        assert_eq!(ids(rows.all()), [3, 4]);
        assert!(rows.has_older());
        rows.refresh(vec![row(90, 90, 90)], true);
        assert_eq!(ids(rows.all()), [90]);
    });
}

#[test]
fn an_event_that_arrived_before_the_history_hides_no_gap() {
    with_rows(3, |rows| {
        // The connection delivers the latest event first, and then more history than fits a page.
        rows.upsert(vec![row(4, 200, 4)]);
        rows.refresh(vec![row(190, 190, 190), row(4, 200, 4)], true);
        assert_eq!(ids(rows.all()), [190, 4]);
    });
}
