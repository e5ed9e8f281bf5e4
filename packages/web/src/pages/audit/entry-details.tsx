import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { CopyFrame } from '../../ui/actions/copy-frame.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { factsOf } from './entry-facts.ts'
import type { Entry } from './entry-sentence.ts'

/** Everything that an entry says: field by field, and then its raw form. */
export function EntryDetails({ entry, names }: { entry: Entry; names: Record<string, string> }) {
  return (
    <>
      <KeyValues
        rows={factsOf(entry, names).map(({ label, value, isId }) => [
          label,
          isId ? (
            <Copy key={label} what={label.toLowerCase()} value={value} shown={shortId(value)} />
          ) : (
            <ForeignText key={label} text={value} />
          ),
        ])}
      />
      <CopyFrame what="entry" value={JSON.stringify(entry, null, 2)} />
    </>
  )
}
