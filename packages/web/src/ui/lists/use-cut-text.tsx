import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { Tooltip, TooltipTrigger } from 'react-aria-components'
import { tooltipClass } from '../actions/button.tsx'

interface CutText {
  handlers: {
    onFocus: (event: FocusEvent) => void
    onBlur: () => void
    onMouseOver: (event: MouseEvent) => void
    onKeyUp: (event: KeyboardEvent) => void
  }
  tooltip: ReactNode
}

/** Shows the whole text of cells that are cut: in a tooltip while a link or a button of the cell has the focus, and as a title under the pointer. */
export function useCutText(): CutText {
  const tooltip = useRef<(shown: Shown) => void>(null)
  const hide = () => tooltip.current?.(undefined)
  return {
    handlers: {
      onFocus: ({ target }) => {
        const text = target.matches(':focus-visible') ? cutTextOf(target.closest('td, th')) : undefined
        tooltip.current?.(text === undefined ? undefined : { at: target, text })
      },
      onBlur: hide,
      onMouseOver: ({ target }) => {
        const cell = (target as Element).closest('td, th')
        const text = cutTextOf(cell)
        if (text === undefined) cell?.removeAttribute('title')
        else cell?.setAttribute('title', text)
      },
      onKeyUp: ({ key }) => key === 'Escape' && hide(),
    },
    tooltip: <CutTooltip ref={tooltip} />,
  }
}

type Shown = { at: Element; text: string } | undefined

/** Has its state in itself, so that the rows of a table are not rendered again at each move of the focus. */
function CutTooltip({ ref }: { ref: Ref<(shown: Shown) => void> }) {
  const [shown, setShown] = useState<Shown>()
  useImperativeHandle(ref, () => setShown, [])
  if (!shown) return null
  return (
    <TooltipTrigger isOpen onOpenChange={(isOpen) => !isOpen && setShown(undefined)}>
      <Tooltip triggerRef={{ current: shown.at }} className={tooltipClass} placement="bottom start" offset={4}>
        {shown.text}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** The text of a cell whose column is too narrow for it, without the texts for screen readers. */
function cutTextOf(cell: Element | null): string | undefined {
  if (!cell || cell.scrollWidth <= cell.clientWidth) return undefined
  const copy = cell.cloneNode(true) as Element
  for (const hidden of copy.querySelectorAll('.hidden-text')) hidden.remove()
  return copy.textContent.trim()
}
