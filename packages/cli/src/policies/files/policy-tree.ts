import { isDeepStrictEqual } from 'node:util'
import { isJson } from '@mandate/contract/fields/is-json'
import type { Schema } from '@mandate/sdk/operation'
import {
  type Alias,
  Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type ToStringOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { hasValuesOf, TextEdits } from './text-edits.ts'

type Policy = Schema<'Policy'>
type Rule = Schema<'Rule'>

const ruleDefaults: Record<string, unknown> = { name: '', enabled: true, reason: '', limit: null }
const fieldDefaults: Record<string, unknown> = {
  description: '',
  override_mode: 'inherit',
  default_effect: 'deny',
  dlp_enabled: false,
}

/** Text of a new policy file, with the address of its schema for editors. @param url the address of the control plane */
export function newFileText(policy: Policy, environment: string | null, url: string): string {
  return `# yaml-language-server: $schema=${url}/api/v1/policy-file.schema.json\n${newPolicyText(policy, environment)}`
}

/** A policy in the format of policy files. Fields are always in the same order. */
export function newPolicyText(policy: Policy, environment: string | null): string {
  const tree = new Document({ ...fieldsOf(policy, environment), rules: policy.rules.map(newRule) })
  return textOf(tree)
}

/**
 * Updates a policy file to the policy's content. Keeps the comments, order and style of everything that stays. If only fields of one value
 * change, every other character of the text stays.
 * @returns the new text, or undefined if the file has this content
 */
export function updatedText({ text, tree }: FileText, policy: Policy, environment: string | null): string | undefined {
  const before = textOf(tree)
  const root = tree.contents as YAMLMap
  const edit = { tree, sources: aliasSources(tree), edits: new TextEdits(text) }
  for (const [field, value] of Object.entries(fieldsOf(policy, environment))) {
    setField(edit, root, field, value, fieldDefaults[field], field === 'id' || field === 'version')
  }
  updateRules(edit, ruleSequence(edit, root), policy.rules)
  return textOf(tree) === before ? undefined : (edit.edits.result(tree) ?? restyled(text, tree))
}

/** A text and the tree that it was parsed to. */
interface FileText {
  text: string
  tree: Document
}

interface Edit {
  tree: Document
  /** The value that each alias stood for before the update. */
  sources: ReadonlyMap<Alias, Node>
  /** The same changes in the text. */
  edits: TextEdits
}

function aliasSources(tree: Document): Map<Alias, Node> {
  const sources = new Map<Alias, Node>()
  visit(tree, {
    Alias(_, alias) {
      const source = alias.resolve(tree)
      if (source) sources.set(alias, source)
    },
  })
  return sources
}

/** YAML needs an anchor before its aliases. If a change removed or moved an anchor, its value takes the place of its first alias. */
function keepSources({ tree, sources }: Edit): void {
  if (sources.size === 0) return
  visit(tree, {
    Alias(_, alias) {
      const source = sources.get(alias)
      if (source && alias.resolve(tree) !== source) return source
    },
  })
}

function ruleSequence({ tree, edits }: Edit, root: YAMLMap): YAMLSeq {
  const found: unknown = root.get('rules', true)
  if (isSeq(found)) return found
  edits.skip()
  const made = tree.createNode([]) as YAMLSeq
  root.set('rules', made)
  return made
}

function textOf(tree: Document, style: ToStringOptions = {}): string {
  return tree.toString({ lineWidth: 0, ...style })
}

/** The text of a changed tree, in the style of the text before the change. */
function restyled(text: string, tree: Document): string {
  const indent = /^\{\r?\n([ \t]+)"/.exec(text)?.[1]
  const made = indent && isJson(text) ? `${JSON.stringify(tree.toJS(), null, indent)}\n` : textOf(tree, styleOf(text))
  const withoutEnd = made.replace(/\n$/, '')
  return !text.endsWith('\n') && hasValuesOf(tree, withoutEnd) ? withoutEnd : made
}

/** How a text indents, by its first list and its first map in a field, and whether most of its brackets have spaces inside. */
function styleOf(text: string): ToStringOptions {
  const column = (offset: number) => offset - (text.lastIndexOf('\n', offset - 1) + 1)
  const [lists, maps, padded]: [number[], number[], boolean[]] = [[], [], []]
  visit(parseDocument(text), {
    Pair(_, { key, value }) {
      if (!isNode(key) || !isCollection(value) || value.flow || !key.range || !value.range) return
      ;(isSeq(value) ? lists : maps).push(column(value.range[0]) - column(key.range[0]))
    },
    Collection(_, { flow, range, items }) {
      if (flow && range && items.length > 0) padded.push(/\s/.test(text.charAt(range[0] + 1)))
    },
  })
  const [list = 2] = lists
  const [map = list || 2] = maps
  return {
    indent: map,
    indentSeq: list > 0,
    flowCollectionPadding: padded.filter(Boolean).length * 2 >= padded.length,
  }
}

function fieldsOf(policy: Policy, environment: string | null): Record<string, unknown> {
  const { id, version, name, description, override_mode, default_effect, dlp_enabled } = policy
  return { id, version, name, description, environment, override_mode, default_effect, dlp_enabled }
}

function newRule({ id, name, priority, enabled, effect, match, reason, limit }: Rule): Record<string, unknown> {
  return {
    ...(name !== '' && { name }),
    priority,
    ...(!enabled && { enabled }),
    effect,
    match: { tools: match.tools, ...(match.when.length > 0 && { when: match.when }) },
    ...(limit && { limit }),
    ...(reason !== '' && { reason }),
    id,
  }
}

// Updates the rules in a file to the rules of a policy. Finds the policy's rule for a rule in the file by id. If the policy has
// no rule with that id, finds it by priority, which is unique.
function updateRules(edit: Edit, seq: YAMLSeq, rules: readonly Rule[]): void {
  const left = new Set(rules)
  const ids = new Set(rules.map(({ id }) => id))
  const before = seq.items.length
  seq.items = seq.items.filter((item) => {
    if (!isMap(item)) return false
    const named = item.get('id')
    const priority = item.get('priority')
    const known = typeof named === 'string' && ids.has(named.toLowerCase())
    const rule = [...left].find((one) =>
      known ? one.id === (named as string).toLowerCase() : one.priority === priority,
    )
    if (!rule) return false
    left.delete(rule)
    updateRule(edit, item, rule)
    return true
  })
  keepSources(edit)
  if (seq.items.length < before || left.size > 0) edit.edits.skip()
  if (left.size > 0) seq.flow = false
  for (const rule of left) {
    const after = seq.items.findLastIndex((item) => isMap(item) && Number(item.get('priority')) < rule.priority)
    seq.items.splice(after + 1, 0, edit.tree.createNode(newRule(rule)))
  }
}

function updateRule(edit: Edit, item: YAMLMap, { match, ...fields }: Rule): void {
  const { id, name, priority, enabled, effect, reason, limit = null } = fields
  for (const [field, value] of Object.entries({ name, priority, enabled, effect, limit, reason, id })) {
    setField(edit, item, field, value, ruleDefaults[field])
  }
  const its: unknown = item.get('match', true)
  if (isMap(its) && !its.anchor) {
    setField(edit, its, 'tools', match.tools, undefined)
    setField(edit, its, 'when', match.when, [])
  } else {
    setField(edit, item, 'match', match.when.length > 0 ? match : { tools: match.tools }, undefined)
  }
}

/** Sets a field if its value differs. A missing field stands for `absent`, so this value is never added. */
function setField(edit: Edit, map: YAMLMap, field: string, value: unknown, absent: unknown, first = false): void {
  const { tree, edits } = edit
  const node = map.get(field, true)
  if (node === undefined) {
    if (isDeepStrictEqual(value, absent)) return
    const pair = tree.createPair(field, value)
    const index = !first ? map.items.length : field === 'id' ? 0 : map.items.findIndex(isIdPair) + 1
    edits.insert(map, index, field, value)
    if (first && field === 'id') putFirst(map, pair)
    else map.items.splice(index, 0, pair)
    return
  }
  if (isDeepStrictEqual(plain(node, tree), value)) return
  const made = tree.createNode(value)
  // A change of the value in place would also change the aliases of the value.
  if (isScalar(node) && isScalar(made) && !node.anchor) {
    edits.replace(node, made.value)
    node.value = made.value
  } else {
    edits.skip()
    map.set(field, made)
    if (isScalar(node) && isScalar(made)) [made.comment, node.comment] = [node.comment, undefined]
    keepSources(edit)
  }
}

/** Inserts a field as the first field. A comment above the previous first field describes the file, so it stays at the top. */
function putFirst(map: YAMLMap, pair: Pair): void {
  const [before, after] = [map.items[0]?.key, pair.key]
  if (isScalar(before) && isScalar(after)) {
    after.commentBefore = before.commentBefore
    before.commentBefore = undefined
  }
  map.items.unshift(pair)
}

const isIdPair = ({ key }: { key: unknown }) => String(key) === 'id'

function plain(node: unknown, tree: Document): unknown {
  return (node as { toJS(tree: Document): unknown }).toJS(tree)
}
