/** A number with its noun: `1 API key`, `2 API keys`. */
export const counted = (count: number, noun: string): string => `${count} ${count === 1 ? noun : plural(noun)}`

export function plural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}
