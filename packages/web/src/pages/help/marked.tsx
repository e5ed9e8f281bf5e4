/** A text of the documentation, with its bold words, its names of fields and its code. */
export const Marked = ({ text }: { text: string }) => text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map(partOf)

function partOf(part: string, index: number) {
  if (part.startsWith('**')) return <b key={index}>{part.slice(2, -2)}</b>
  if (part.startsWith('*')) return <i key={index}>{part.slice(1, -1)}</i>
  return part.startsWith('`') ? <code key={index}>{part.slice(1, -1)}</code> : part
}
