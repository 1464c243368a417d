//! What a person fills in: texts, choices, boxes and files; and what folds open.

use super::form;
use super::page::{Edit, Upload, squeezed};
use super::part::{Kind, Named, Part};
use super::visitor::Visitor;
use scraper::ElementRef;

impl Visitor {
    /// Types into a field, in place of what is in it.
    pub fn fill(&mut self, field: impl Named, text: &str) {
        let field = self.enabled(&field.part(Kind::Field));
        assert!(field.attr("readonly").is_none(), "{field:?} is read-only");
        let is_one_line = field.value().name() == "input";
        assert!(
            !is_one_line || !text.contains('\n'),
            "{field:?} has one line"
        );
        let id = field.id();
        self.page.edits.insert(id, Edit::Text(text.to_owned()));
    }

    /// Chooses from a list, by the text of the choice.
    pub fn choose(&mut self, list: impl Named, option: &str) {
        let list = self.enabled(&list.part(Kind::Field));
        let is_meant = |element: &ElementRef<'_>| {
            let text = element.text().collect::<String>();
            element.value().name() == "option" && squeezed(&text) == option
        };
        let options: Vec<_> = list.descendent_elements().filter(is_meant).collect();
        let [chosen] = options[..] else {
            panic!("not one choice {option:?}: {}", list.html());
        };
        let (list, chosen) = (list.id(), chosen.id());
        self.page.edits.insert(list, Edit::Chosen(chosen));
    }

    /// Chooses from a list, by the value that is sent.
    pub fn choose_value(&mut self, list: impl Named, value: &str) {
        let list = list.part(Kind::Field);
        let option = list.clone().css(&format!("option[value=\"{value}\"]"));
        let option = self.text(option);
        self.choose(list, &option);
    }

    /// Ticks a box, or one of several that exclude one another.
    pub fn tick(&mut self, control: impl Named) {
        let control = self.enabled(&control.part(Kind::Field));
        let mut changes = vec![(control.id(), true)];
        if control.attr("type") == Some("radio") {
            let others = self.page.select("input[type=radio]").into_iter();
            let others = others
                .filter(|other| *other != control && other.attr("name") == control.attr("name"));
            changes.extend(others.map(|other| (other.id(), false)));
        } else {
            assert_eq!(control.attr("type"), Some("checkbox"), "{control:?}");
        }
        let edits = changes.into_iter();
        let edits = edits.map(|(id, is_on)| (id, Edit::Ticked(is_on)));
        self.page.edits.extend(edits);
    }

    pub fn untick(&mut self, control: impl Named) {
        let control = self.enabled(&control.part(Kind::Field));
        assert_eq!(control.attr("type"), Some("checkbox"), "{control:?}");
        let id = control.id();
        self.page.edits.insert(id, Edit::Ticked(false));
    }

    /// Chooses files.
    pub fn attach(&mut self, field: impl Named, files: Vec<Upload>) {
        let field = self.enabled(&field.part(Kind::Field));
        assert_eq!(field.attr("type"), Some("file"), "{field:?}");
        let may_be_several = field.attr("multiple").is_some();
        assert!(
            files.len() < 2 || may_be_several,
            "{field:?} takes one file"
        );
        let id = field.id();
        self.page.edits.insert(id, Edit::Files(files));
    }

    /// Opens or closes what is folded, such as a menu.
    pub fn unfold(&mut self, summary: impl Named) {
        let summary = self.page.one(&summary.part(Kind::Summary));
        let details = summary.parent().expect("a summary is inside of something");
        let id = details.id();
        if !self.page.toggled.remove(&id) {
            self.page.toggled.insert(id);
        }
    }

    /// What is in a field.
    pub fn value(&self, field: impl Named) -> String {
        form::value(&self.page, self.page.one(&field.part(Kind::Field)))
    }

    pub fn is_ticked(&self, control: impl Named) -> bool {
        form::is_ticked(&self.page, self.page.one(&control.part(Kind::Field)))
    }

    pub fn is_disabled(&self, control: impl Into<Part>) -> bool {
        form::is_disabled(self.page.one(&control.into()))
    }

    fn enabled(&self, part: &Part) -> ElementRef<'_> {
        let control = self.page.one(part);
        assert!(!form::is_disabled(control), "{control:?} is disabled");
        control
    }
}
