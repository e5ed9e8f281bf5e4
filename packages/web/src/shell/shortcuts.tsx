import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Check } from '../ui/check.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { hasSingleKeys, switchSingleKeys } from '../ui/single-key.ts'
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
