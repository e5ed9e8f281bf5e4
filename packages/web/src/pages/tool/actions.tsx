import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { whyNot } from '../../api/why-not.ts'
import { Button } from '../../ui/actions/button.tsx'
import { MoreMenu } from '../../ui/actions/more-menu.tsx'
import { Confirm } from '../../ui/dialogs/dialog.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import type { Definition } from './definition.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { PinDialog } from './pin-dialog.tsx'
import type { Pinning, Tool } from './words.ts'

type Act = 'pin' | 'unpin' | 'block' | 'unblock' | 'labels'

interface ToolActionsProps {
  tool: Tool
  /** The definition that the page shows. */
  definition: Definition | undefined
  pinning: Pinning | undefined
}

/** What can be done with the tool. Each action says why it is not possible. */
export function ToolActions({ tool, definition, pinning }: ToolActionsProps) {
  const [act, setAct] = useState<Act>()
  const close = () => setAct(undefined)
  return (
    <>
      {definition && !definition.pinned && (
        <Button glyph="approved" onPress={() => setAct('pin')} disabledBecause={whyNot(tool, 'pinTool')}>
          Pin this definition
        </Button>
      )}
      {tool.state === 'blocked' ? (
        <Button onPress={() => setAct('unblock')} disabledBecause={whyNot(tool, 'unblockTool')}>
          Unblock
        </Button>
      ) : (
        <Button
          glyph="blocked"
          look="danger"
          onPress={() => setAct('block')}
          disabledBecause={whyNot(tool, 'blockTool')}
        >
          Block
        </Button>
      )}
      <MoreMenu
        acts={[
          { name: 'Labels…', onPress: () => setAct('labels'), disabledBecause: whyNot(tool, 'labelTool') },
          {
            name: 'Remove the pins…',
            onPress: () => setAct('unpin'),
            disabledBecause:
              whyNot(tool, 'unpinTool') ?? (tool.pinned_hashes.length === 0 ? 'No definition is pinned.' : undefined),
          },
        ]}
      />
      {act === 'pin' && definition && <PinDialog tool={tool} hash={definition.hash} onClose={close} />}
      {act === 'unpin' && <Unpin tool={tool} pinning={pinning} onClose={close} />}
      {act === 'block' && <Block tool={tool} onClose={close} />}
      {act === 'unblock' && <Unblock tool={tool} pinning={pinning} onClose={close} />}
      {act === 'labels' && <LabelsDialog tool={tool} onClose={close} />}
    </>
  )
}

interface AskedProps {
  tool: Tool
  pinning?: Pinning | undefined
  onClose: () => void
}

const unpinEffects: Record<Pinning, string> = {
  off: 'Edges decide its calls by policy, as before.',
  alert: 'Edges decide its calls by policy. Nobody is told when a server declares another definition.',
  enforce: 'This environment enforces pins, so edges hide the tool and deny every call of it.',
}

function Unpin({ tool, pinning, onClose }: AskedProps) {
  const unpin = useWrite('unpinTool')
  return (
    <Confirm
      title={`Remove the pins of ${tool.tool}?`}
      verb="Remove the pins"
      look={pinning === 'enforce' ? 'danger' : 'act'}
      onClose={onClose}
      act={async () => {
        await unpin.mutateAsync({ path: { tool_id: tool.id } })
        tell(`${tool.tool} has no pin.`)
      }}
    >
      <p>The tool is no longer pinned, as if it was declared for the first time. {pinning && unpinEffects[pinning]}</p>
    </Confirm>
  )
}

function Block({ tool, onClose }: AskedProps) {
  const block = useWrite('blockTool')
  return (
    <Confirm
      title={`Block ${tool.tool}?`}
      verb="Block"
      look="danger"
      comment={{ label: 'Reason', isRequired: true }}
      onClose={onClose}
      act={async (reason) => {
        await block.mutateAsync({ path: { tool_id: tool.id }, body: { reason } })
        tell(`Blocked ${tool.tool}.`)
      }}
    >
      <p>
        Edges of the environment deny every call of the tool at once, whatever the policies say, in monitor mode too.
        Its pins stay.
      </p>
    </Confirm>
  )
}

function Unblock({ tool, pinning, onClose }: AskedProps) {
  const unblock = useWrite('unblockTool')
  const isHidden = pinning === 'enforce' && tool.pinned_hashes.length === 0
  return (
    <Confirm
      title={`Unblock ${tool.tool}?`}
      verb="Unblock"
      onClose={onClose}
      act={async () => {
        await unblock.mutateAsync({ path: { tool_id: tool.id } })
        tell(`${tool.tool} is no longer blocked.`)
      }}
    >
      <p>
        {isHidden
          ? 'The block ends. The tool has no pin and this environment enforces pins, so edges still deny its calls.'
          : 'The block ends, and policies decide the calls of the tool again.'}
      </p>
    </Confirm>
  )
}
