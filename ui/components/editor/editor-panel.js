// The column beside the text: what is selected and everything that can be done to it, each with its key.

function button(s, key, label, act) {
  const node = el('button', 'plain-button', visible(label) + ' ');
  if (key) node.append(el('kbd', '', key));
  node.onclick = () => { act(); s.page.focus(); };
  return node;
}

function item(s, at, label, note, act) {
  const node = el('li', at ? 'at' : '');
  const name = el('span');
  appendVisible(name, label);
  node.append(name, el('span', 'note', note));
  node.onclick = () => { act(); s.page.focus(); };
  return node;
}

function listOf(nodes) { const list = el('ul', 'list'); list.append(...nodes); return list; }
function rowOf(...nodes) { const row = el('div', 'row'); row.append(...nodes.filter(Boolean)); return row; }
const hint = text => el('div', 'mode', text);

function quote(s, a, b) {
  const node = el('div', 'quote');
  appendVisible(node, words(s, a, b));
  return node;
}

function drawPanel(s) {
  const parts = [];
  const kind = s.pick ? 'pick' : s.panel?.kind;
  if (kind === 'pick') pickPanel(s, parts);
  else if (kind === 'relation' || kind === 'drop') relationPanel(s, parts);
  else if (kind === 'labels') labelsPanel(s, parts);
  else if (kind === 'type') typePanel(s, parts);
  else if (suggestionOf(s)) suggestionPanel(s, parts);
  else if (chosen(s)) mentionPanel(s, parts);
  else documentPanel(s, parts);
  const focused = s.why.querySelector('input:focus');
  const caret = focused && [focused.selectionStart, focused.selectionEnd];
  s.why.replaceChildren(...parts);
  const input = s.why.querySelector('input');
  if (input) { input.focus({ preventScroll: true }); if (caret) input.setSelectionRange(...caret); else input.select(); }
  s.why.querySelector('li.at')?.scrollIntoView?.({ block: 'nearest' });
}

function pickPanel(s, parts) {
  const from = s.view.mentions.get(s.pick.from);
  parts.push(el('h3', '', { chain: 'Same chain as …', merge: 'Merge its chain into …', relation: 'Relation to …' }[s.pick.what]));
  if (from) parts.push(quote(s, from.start, from.end));
  parts.push(hint('Go to the other mention with Tab or click it, then Enter. Esc leaves.'));
}

function relationPanel(s, parts) {
  const { from, to, id } = s.panel, types = licensed(s, from, to), a = s.view.mentions.get(from), b = s.view.mentions.get(to);
  if (!a || !b) return;
  const dropped = s.panel.kind === 'drop';
  const take = type => takeRelation(s, type);
  parts.push(el('h3', '', dropped ? 'What holds between them?' : id ? 'Which relation instead?' : 'Which relation?'), quote(s, a.start, a.end), quote(s, b.start, b.end));
  const items = types.map((t, i) => item(s, !dropped && i === s.panel.at, t.type, i < 9 ? String(i + 1) : '', () => take(t.type)));
  if (dropped) items.unshift(
    item(s, false, 'same chain', 'c', () => { s.panel = null; join(s, from, to, false); }),
    item(s, false, 'merge the chains', 'g', () => { s.panel = null; join(s, from, to, true); }),
  );
  parts.push(listOf(items));
  if (!types.length) parts.push(hint('No relation was seen between these types before.'));
  if (s.panel.naming || (!types.length && !dropped)) parts.push(named(s, 'name of the relation', '', take));
  else parts.push(button(s, '0', 'Another relation', () => { s.panel.naming = true; drawPanel(s); }));
}

function labelsPanel(s, parts) {
  parts.push(el('h3', '', 'Labels of the document'));
  parts.push(listOf(s.data.labelChoices.map((label, i) => item(s, i === s.panel.at, (s.view.labels.includes(label) ? '✓ ' : '') + label, '', () => toggleLabel(s, label)))));
  if (s.panel.naming || !s.data.labelChoices.length) parts.push(named(s, 'name of the label', '', label => { s.panel = null; edit(s, { kind: 'SetLabel', label, holds: true }); }));
  else parts.push(hint('Arrows and Enter; 0 writes a new one; Esc leaves.'));
}

function typePanel(s, parts) {
  const m = chosen(s), r = m ? [m.start, m.end] : range(s);
  parts.push(el('h3', '', 'Which type?'));
  if (r) parts.push(quote(s, r[0], r[1]));
  parts.push(named(s, 'name of the type', m?.type ?? '', type => { s.panel = null; setType(s, type); }, s.data.types));
}

function suggestionPanel(s, parts) {
  const x = suggestionOf(s);
  parts.push(el('h3', '', x.by && x.score === null ? `Suggested by ${visible(x.by)}` : 'Suggested by the model'));
  if (x.kind !== 'label') parts.push(quote(s, x.start, x.end));
  parts.push(chip(s, x, true));
  parts.push(rowOf(button(s, 'Enter', 'Accept', () => accept(s, [x.key])), button(s, 'Del', 'Reject', () => reject(s, [x.key]))));
  if (x.kind === 'label') return;
  parts.push(hint('Or say what it is instead:'));
  parts.push(rowOf(...s.data.types.slice(0, 9).map((type, i) => button(s, String(i + 1), type, () => setType(s, type))), button(s, 'e', 'Link to another', () => correct(s))));
}

function mentionPanel(s, parts) {
  const m = chosen(s);
  parts.push(el('h3', '', 'Mention'), quote(s, m.start, m.end));
  const types = s.data.types.map((type, i) => {
    const node = button(s, i < 9 ? String(i + 1) : '', type, () => setType(s, type));
    node.setAttribute('aria-pressed', m.type === type);
    return node;
  });
  parts.push(rowOf(...types, button(s, '0', 'another type', () => { s.panel = { kind: 'type' }; draw(s); })));
  if (s.panel?.kind === 'entity') entityPanel(s, parts);
  else parts.push(rowOf(
    button(s, 'e', m.entity === null ? 'Link' : 'Change the link', () => openEntity(s)),
    button(s, 'n', 'NIL', () => edit(s, { kind: 'SetEntity', id: m.id, entity: s.data.nil })),
    m.entity !== null && button(s, 'u', 'No link', () => edit(s, { kind: 'SetEntity', id: m.id, entity: null })),
  ));
  const pick = what => () => { s.pick = { what, from: m.id }; draw(s); };
  parts.push(rowOf(
    button(s, 'c', 'Same chain as', pick('chain')), button(s, 'r', 'Relation to', pick('relation')),
    m.cluster !== null && button(s, 'g', 'Merge chain into', pick('merge')),
    m.cluster !== null && button(s, 'x', 'Out of chain', () => edit(s, { kind: 'SetCluster', id: m.id, cluster: null })),
    m.cluster !== null && button(s, 's', 'Split chain here', () => split(s)),
    button(s, 't', 'Comment', () => { s.panel = { kind: 'comment', target: m.id }; draw(s); }),
    button(s, 'w', m.doubted ? 'Gold is right' : 'Gold is wrong', () => edit(s, { kind: 'DoubtGold', target: m.id, doubted: !m.doubted })),
    button(s, 'Del', 'Delete', () => removeMention(s, m)),
  ));
  commentPart(s, parts, m.id, m.comment);
  if (m.cluster !== null) {
    const chain = chainOf(s, m.cluster);
    parts.push(el('h3', '', `Chain #${numberOf(s, m.cluster)}, ${chain.length} ${chain.length === 1 ? 'mention' : 'mentions'}`));
    parts.push(listOf(chain.map(o => item(s, o.id === m.id, words(s, o.start, o.end), '', () => select(s, o.id)))));
  }
  relationsPart(s, parts, m);
}

function relationsPart(s, parts, m) {
  const own = relationsOf(s, m.id);
  if (!own.length) return;
  const open = s.panel?.kind === 'arcs';
  parts.push(el('h3', '', 'Relations'));
  parts.push(listOf(own.map((r, i) => {
    const other = s.view.mentions.get(r.head === m.id ? r.tail : r.head);
    const label = (r.head === m.id ? `${r.type} → ` : `← ${r.type} `) + (other ? words(s, other.start, other.end) : '') + (r.comment ? ' ✎' : '');
    return item(s, open && i === s.panel.at, label, '', () => { s.panel = { kind: 'arcs', at: i }; draw(s); });
  })));
  if (!open) { parts.push(rowOf(button(s, 'k', 'Change relations', () => { s.panel = { kind: 'arcs', at: 0 }; draw(s); }))); return; }
  const r = own[Math.min(s.panel.at, own.length - 1)];
  parts.push(rowOf(
    button(s, 'Enter', 'Another type', () => retype(s, r)), button(s, 'f', 'Turn round', () => flip(s, r)),
    button(s, 't', 'Comment', () => { s.panel = { kind: 'comment', target: r.id }; draw(s); }),
    button(s, 'Del', 'Delete', () => edit(s, { kind: 'RemoveRelation', id: r.id })),
  ));
}

function commentPart(s, parts, target, comment) {
  const wanted = s.panel?.kind === 'comment' ? s.panel.target : null;
  const relation = wanted && s.view.relations.get(wanted);
  if (wanted === target || relation) {
    parts.push(named(s, 'comment', relation ? relation.comment : comment, text => { s.panel = null; edit(s, { kind: 'Comment', target: wanted, text }); }));
  } else if (comment) {
    const note = el('div', 'quote');
    appendVisible(note, comment);
    parts.push(note);
  }
}

function documentPanel(s, parts) {
  const r = range(s);
  parts.push(el('h3', '', r ? 'Marked text' : 'Nothing selected'));
  if (r) parts.push(quote(s, r[0], r[1]), rowOf(button(s, 'Enter', 'Make it a mention', () => addMention(s)), ...s.data.types.slice(0, 9).map((type, i) => button(s, String(i + 1), type, () => setType(s, type)))));
  else parts.push(hint('Mark text with the mouse or with Shift and arrows, then Enter. Click a mention to change it. ? shows all keys.'));
  parts.push(rowOf(
    button(s, 'd', s.view.done ? 'Not done yet' : 'Done', () => edit(s, { kind: 'MarkDone', done: !s.view.done })),
    button(s, 'q', 'Done, next of the queue', () => next(s)),
    button(s, 't', 'Comment on the document', () => { s.panel = { kind: 'comment', target: '' }; draw(s); }),
  ));
  commentPart(s, parts, '', s.view.comment);
  if (s.data.labelChoices.length) {
    parts.push(el('h3', '', 'Labels of the document'));
    parts.push(rowOf(...s.data.labelChoices.map(label => {
      const on = s.view.labels.includes(label), node = button(s, '', (on ? '✓ ' : '') + label, () => toggleLabel(s, label));
      node.setAttribute('aria-pressed', on);
      return node;
    }), button(s, 'l', 'choose by keys', () => { s.panel = { kind: 'labels', at: 0 }; draw(s); })));
  }
  const offers = s.data.suggestions;
  if (offers.length) {
    parts.push(el('h3', '', `${offers.length} ${offers.length === 1 ? 'suggestion' : 'suggestions'}`));
    parts.push(listOf(offers.slice(0, 60).map(x => item(s, false, `${x.kind === 'label' ? 'label' : words(s, x.start, x.end)}: ${suggested(s, x)}`, saidBy(x), () => select(s, x.key)))));
    parts.push(rowOf(button(s, 'A', 'Accept all', () => accept(s, offers.map(x => x.key))), button(s, 'D', 'Reject all', () => reject(s, offers.map(x => x.key)))));
  }
}

function entityPanel(s, parts) {
  const found = s.data.candidates.id === s.selected ? s.data.candidates.items : [];
  const typed = s.panel.query.trim();
  const choices = found.concat(typed && !found.some(c => c.entity === typed) ? [{ entity: typed, note: 'new entity' }] : []);
  const choose = c => { s.panel = null; edit(s, { kind: 'SetEntity', id: s.selected, entity: c.entity }); s.page.focus(); };
  const input = el('input');
  input.value = s.panel.query;
  input.setAttribute('aria-label', 'search for an entity');
  input.oninput = () => { s.panel.query = input.value; s.panel.at = 0; ask(s); drawPanel(s); };
  input.onkeydown = event => {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); s.panel.at = Math.max(0, Math.min(choices.length - 1, s.panel.at + step)); drawPanel(s); }
    else if (event.key === 'Enter' && choices[s.panel.at]) { event.preventDefault(); choose(choices[s.panel.at]); }
    else if (event.key === 'Escape') { s.panel = null; draw(s); s.page.focus(); }
  };
  parts.push(input, listOf(choices.map((c, i) => item(s, i === s.panel.at, c.entity, c.note, () => choose(c)))));
}

/** One line of text: Enter takes it, Escape leaves it. */
function named(s, label, value, take, known) {
  const box = el('div'), input = el('input');
  input.value = value;
  input.placeholder = label;
  input.setAttribute('aria-label', label);
  if (known) {
    const list = el('datalist');
    list.id = 'known';
    for (const one of known) { const option = el('option'); option.value = one; list.append(option); }
    input.setAttribute('list', 'known');
    box.append(list);
  }
  input.onkeydown = event => {
    event.stopPropagation();
    if (event.key === 'Enter' && (input.value.trim() || label === 'comment')) { take(input.value.trim()); s.page.focus(); }
    else if (event.key === 'Escape') { s.panel = null; draw(s); s.page.focus(); }
  };
  box.append(input);
  return box;
}

/** Somebody else was first: both sides in words, and the choice. */
function drawAlert(s) {
  const clash = s.data.clash && s.data.clash.token !== s.answered ? s.data.clash : null;
  s.clash = clash;
  const message = clash ? '' : s.data.clash ? '' : s.data.message;
  s.alert.className = clash || message ? 'message' : '';
  s.alert.replaceChildren();
  if (message) { const text = el('span'); appendVisible(text, message); s.alert.append(text); }
  if (!clash) return;
  const line = (name, text) => { const node = el('div'); node.append(el('b', '', name + ': ')); appendVisible(node, text || 'no change'); return node; };
  const intro = el('span');
  appendVisible(intro, `${clash.who} changed the same annotation meanwhile. Nothing of yours was written.`);
  s.alert.append(intro, line('There now', clash.theirs), line('Yours', clash.mine), rowOf(
    button(s, 'Esc', 'Keep what is there', () => answer(s, false)), button(s, 'Enter', 'Write mine over it', () => answer(s, true)),
  ));
}

function answer(s, mine) {
  const clash = s.clash;
  s.answered = clash.token;
  s.clash = null;
  if (mine) edit(s, clash.edit); else draw(s);
}

function drawSheet(s) {
  s.desk.querySelector('.sheet')?.remove();
  if (!s.sheet) return;
  const sheet = el('div', 'sheet'), list = el('div', 'keys');
  for (const [keys, what] of KEYS) {
    const row = el('div', 'key');
    row.append(el('kbd', '', keys), el('span', '', what));
    list.append(row);
  }
  sheet.append(el('h3', '', 'Keys'), list);
  s.desk.append(sheet);
}

function drawSaved(s) {
  const n = s.queue.length;
  s.saved.textContent = !n ? s.data.saved + (s.view.done ? ' · done' : '') : s.tries
    ? `${n} ${n === 1 ? 'edit waits' : 'edits wait'} for the server; kept in this browser` : `saving ${n} …`;
}
