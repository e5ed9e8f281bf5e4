import type { Document, Policy } from '../document/document.ts'

export interface Draft {
  /** The version that the draft was made from. */
  base: Policy
  document: Document
  /** What was typed in the text view, if that was the last change. */
  text: string | undefined
}

/** What is left of a draft after a save: nothing, or what was changed while the save ran, on top of what was saved. */
export function afterSave(now: Draft | undefined, saved: Draft, base: Policy): Draft | undefined {
  if (now === undefined || (now.document === saved.document && now.text === saved.text)) return undefined
  if (now.text !== undefined) return { ...now, base }
  // The save gave the new rules their ids. Without them, the next save would make these rules again.
  const rules = now.document.rules.map((rule, index) => {
    const isSavedNow = rule.id === undefined && saved.document.rules[index]?.id === undefined
    const id = isSavedNow ? base.rules[index]?.id : undefined
    return id === undefined ? rule : { ...rule, id }
  })
  return { ...now, base, document: { ...now.document, rules } }
}
