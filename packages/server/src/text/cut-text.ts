/**
 * Returns the first characters of a text, at most `most`. Never cuts a character in half: half of a surrogate pair cannot be stored as
 * JSON in the database.
 */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('')
}

/** Shortens a text to at most `most` characters. A shortened text ends with an ellipsis. */
export function shortenText(text: string, most: number): string {
  return text.length <= most ? text : `${cutText(text, most - 1)}…`
}
