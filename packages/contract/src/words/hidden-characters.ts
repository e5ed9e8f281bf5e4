/**
 * A character that people do not see, or that changes how they see others: controls (also the tab and the line feed), formats, lone surrogates,
 * private and unassigned characters, separators other than the space, variation selectors, fillers that look like a space, and characters that
 * programs ignore when they show a text.
 */
export const hiddenCharacter =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u

/** More combining marks than this on one letter cover the lines around it. Words of Burmese and of pointed Hebrew have up to five. */
export const mostMarks = 8
