import { lazy, Suspense, useState } from 'react'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { NotChanged, type NotChangedRow } from '../../ui/dialogs/not-changed.tsx'
import { BulkBar } from '../../ui/lists/bulk-bar.tsx'
import type { Picked } from '../../ui/lists/picks.ts'
import { counted } from '../../words/words.ts'
import type { Tool } from './words.ts'

const PinMany = lazy(async () => ({ default: (await import('../tool/pin-many.tsx')).PinMany }))

/** The dialog shows the definition of each tool, and one request reads or pins one tool. */
const mostPinned = 20

interface ToolsBarProps {
  selected: Picked<Tool>
  /** The tools that the list shows. */
  rows: readonly Tool[]
  /** Called with the tools that stay selected. */
  onDone: (selected: Picked<Tool>) => void
}

/** What can be done with all selected tools at once. */
export function ToolsBar({ selected, rows, onDone }: ToolsBarProps) {
  const [isOpen, setOpen] = useState(false)
  const [refused, setRefused] = useState<readonly NotChangedRow[]>([])
  const tools = [...selected.values()]
  const because =
    tools.map((tool) => whyNot(tool, 'pinTool')).find((reason) => reason !== undefined) ??
    (tools.length > mostPinned ? `At most ${mostPinned} tools are pinned at once.` : undefined)
  return (
    <>
      <BulkBar label="Selected tools" picked={selected} rows={rows} onClear={() => onDone(new Map())}>
        <Button onPress={() => setOpen(true)} disabledBecause={because}>
          Pin
        </Button>
      </BulkBar>
      {isOpen && (
        <Suspense>
          <PinMany
            tools={tools}
            onDone={(pinned, failed) => {
              setRefused(failed)
              onDone(new Map([...selected].filter(([id]) => !pinned.has(id))))
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
      {refused.length > 0 && (
        <NotChanged
          title={counted(refused.length, '# tool was not pinned', '# tools were not pinned')}
          rows={refused}
          onClose={() => setRefused([])}
        />
      )}
    </>
  )
}
