const off = 'mandate single keys off'

/** True if shortcuts of one key work in this browser. People who use speech input may switch them off. */
export const hasSingleKeys = () => localStorage.getItem(off) === null

export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(off)
  else localStorage.setItem(off, 'yes')
}

/** The key of a shortcut of one key. Undefined while someone types, with Ctrl, Alt or Cmd, and if these shortcuts are off. */
export function singleKey(event: KeyboardEvent): string | undefined {
  const isShortcut = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing && !isTyping(event)
  return isShortcut && hasSingleKeys() ? event.key.toLowerCase() : undefined
}

function isTyping(event: KeyboardEvent): boolean {
  // The first target, because an editor may be in a shadow root.
  const [target] = event.composedPath()
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select'))
}
