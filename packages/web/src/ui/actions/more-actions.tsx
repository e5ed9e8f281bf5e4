import { Button as AriaButton, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { HistoryLink, type HistoryOf } from '../page/history-link.tsx'
import { Glyph } from '../texts/glyph.tsx'
import { Button, type ButtonLook, buttonClass } from './button.tsx'
import css from './more-actions.module.css'
import { RefusalGroup } from './refusals.tsx'

export interface RowAction {
  name: string
  act: () => void
  disabledBecause?: string | undefined
  look?: ButtonLook
}

interface MoreActionsProps {
  /** The name of the object of the row. */
  of: string
  actions: readonly RowAction[]
  history: HistoryOf
}

/** The further actions of a row, behind one button. An action that is not possible says why. */
export function MoreActions({ of, actions, history }: MoreActionsProps) {
  return (
    <DialogTrigger>
      <AriaButton className={`${buttonClass('plain icon')} ${css.open}`} aria-label={`More actions for ${of}`}>
        <Glyph name="down" />
      </AriaButton>
      <Popover className={css.popover ?? ''} placement="bottom end">
        <Dialog className={css.actions ?? ''} aria-label={`Actions for ${of}`}>
          {({ close }) => (
            <RefusalGroup>
              {(reasons) => (
                <>
                  {actions.map(({ name, act, disabledBecause, look }) => (
                    <Button
                      key={name}
                      look={look === undefined ? 'plain' : `plain ${look}`}
                      disabledBecause={disabledBecause}
                      onPress={() => {
                        close()
                        act()
                      }}
                    >
                      {name}
                    </Button>
                  ))}
                  <HistoryLink of={history} />
                  {reasons}
                </>
              )}
            </RefusalGroup>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
