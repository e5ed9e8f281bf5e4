/** The scopes of a text, with spaces or commas between them. */
export const scopesIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** The text with or without a scope. The other scopes stay as they were written. */
export function withScope(text: string, scope: string, isOn: boolean): string {
  const others = scopesIn(text).filter((one) => one !== scope)
  return (isOn ? [...others, scope] : others).join(' ')
}
