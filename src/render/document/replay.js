// Replays an exported conversation: shows its rows up to a position, which a slider, buttons and keys change.
'use strict';
(() => {
  const rows = [...document.querySelectorAll('#rows > .row')];
  const bar = document.getElementById('replay');
  if (!rows.length) return;
  const slider = document.getElementById('position');
  const count = document.getElementById('count');
  const speed = document.getElementById('speed');
  const play = bar.querySelector('[data-do="play"]');
  const end = document.querySelector('.document__end');
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  /** Longest and shortest time between two rows at normal speed, in milliseconds. */
  const LONGEST = 2500;
  const SHORTEST = 400;
  const PAUSE = 'M9 5v14M15 5v14';
  const PLAY = play.querySelector('path').getAttribute('d');
  let timer = 0;

  const position = () => Number(slider.value);

  function words(row) {
    const who = row.querySelector('.row__who, .step__verb, .notice__title');
    const what = row.querySelector('.step__subject');
    return [who, what].map((part) => part?.textContent.trim()).filter(Boolean).join(' ').slice(0, 80);
  }

  /** Shows the rows up to a position, counted from 1, and scrolls to the last of them. */
  function show(wanted, scroll = true) {
    const at = Math.min(Math.max(wanted, 1), rows.length);
    slider.value = String(at);
    rows.forEach((row, index) => {
      row.hidden = index >= at;
      row.toggleAttribute('data-current', index === at - 1 && at < rows.length);
    });
    end.hidden = at < rows.length;
    count.textContent = `${at} / ${rows.length}`;
    slider.setAttribute('aria-valuetext', `${at} of ${rows.length}: ${words(rows[at - 1])}`);
    if (scroll) {
      const behavior = calm.matches || timer === 0 ? 'auto' : 'smooth';
      rows[at - 1].scrollIntoView({ block: 'nearest', behavior });
    }
  }

  function sign(isPlaying) {
    const label = isPlaying ? 'Pause' : 'Play';
    play.setAttribute('aria-label', label);
    play.title = label;
    play.querySelector('path').setAttribute('d', isPlaying ? PAUSE : PLAY);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    sign(false);
  }

  /** The time until the next row: that of the log, within bounds. */
  function gap() {
    const at = position();
    const [now, next] = [rows[at - 1], rows[at]].map((row) => Number(row.dataset.at));
    const passed = now && next ? next - now : 0;
    return Math.min(Math.max(passed, SHORTEST), LONGEST) / Number(speed.value);
  }

  function later() {
    if (position() >= rows.length) return pause();
    timer = setTimeout(() => {
      show(position() + 1);
      later();
    }, gap());
  }

  function toggle() {
    if (timer) return pause();
    if (position() >= rows.length) show(1);
    sign(true);
    later();
  }

  function step(by) {
    pause();
    show(position() + by);
  }

  /** Goes to the next mark in a direction, or to the end there. */
  function mark(by) {
    pause();
    let at = position() + by;
    while (at > 1 && at < rows.length && !rows[at - 1].hasAttribute('data-mark')) at += by;
    show(at);
  }

  const actions = {
    play: toggle,
    previous: () => step(-1),
    next: () => step(1),
    'previous-mark': () => mark(-1),
    'next-mark': () => mark(1),
  };
  bar.addEventListener('click', (event) => actions[event.target.closest('[data-do]')?.dataset.do]?.());
  slider.addEventListener('input', () => {
    pause();
    show(position());
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const isSlider = event.target === slider;
    if (!isSlider && event.target.closest('select, input, textarea')) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && event.shiftKey) mark(by);
    else if (by && !isSlider) step(by);
    else if (event.key === ' ' && isSlider) toggle();
    else return;
    event.preventDefault();
  });
  // On paper there is no replay.
  addEventListener('beforeprint', () => {
    pause();
    show(rows.length, false);
  });
  // A link to a row shows it.
  const target = rows.findIndex((row) => `#${row.id}` === location.hash);
  slider.min = '1';
  slider.max = String(rows.length);
  bar.hidden = false;
  show(target < 0 ? rows.length : target + 1, target >= 0);
})();
