import {
  Button,
  UNSTABLE_ToastContent as Content,
  UNSTABLE_ToastQueue as Queue,
  UNSTABLE_ToastRegion as Region,
  UNSTABLE_Toast as Toast,
} from 'react-aria-components'
import { Glyph } from '../texts/glyph.tsx'
import { Name } from '../texts/name.tsx'
import css from './toast.module.css'

const shownMs = 6000
const queue = new Queue<string>({ maxVisibleToasts: 3 })

/** Tells the reader what became of something they did. It stays while the pointer or the focus is on it, or until it is closed with `stays`. */
export const tell = (text: string, { stays = false } = {}) => void queue.add(text, stays ? {} : { timeout: shownMs })

/** The place of the toasts, once on the page. */
export function Toasts() {
  return (
    <Region queue={queue} className={css.region} aria-label="Messages">
      {({ toast }) => (
        <Toast toast={toast} className={css.toast}>
          <Content>
            <Name>{toast.content}</Name>
          </Content>
          <Button slot="close" aria-label="Close">
            <Glyph name="close" />
          </Button>
        </Toast>
      )}
    </Region>
  )
}
