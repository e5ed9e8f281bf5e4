import { useState } from 'react'
import { Button } from '../../ui/actions/button.tsx'
import { hasSingleKeys, switchSingleKeys } from '../../ui/actions/single-key.ts'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Check } from '../../ui/fields/check.tsx'
import { ShortcutList } from './shortcut-list.tsx'

/** All shortcuts of the keyboard, and the switch for those of one key. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys)
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={onClose}
      foot={
        <Button look="act" onPress={onClose} autoFocus>
          Close
        </Button>
      }
    >
      <ShortcutList />
      <Check
        label="Shortcuts of one key work in this browser"
        hint="Switch them off if you use speech input."
        isOn={isOn}
        onChange={(next) => {
          switchSingleKeys(next)
          setOn(next)
        }}
      />
    </Dialog>
  )
}
