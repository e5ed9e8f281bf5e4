/**
 * Returns the form in which unique names are compared: without the characters that programs ignore when they show a text, such as a joiner, in NFC,
 * because Unicode has several forms of one text, and trimmed. Names that differ only in letter case differ. SQL has this form as `name_key`.
 */
export function nameKey(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .trim()
}

/** Returns whether two names are the same for a reader. */
export const isSameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other)
