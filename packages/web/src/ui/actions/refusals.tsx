import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useId,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import css from './refusals.module.css'

/** A button or an item that is off, and why. */
export interface Refused {
  name: string
  because: string
}

interface Group {
  id: string
  /** Says that a button is off, or that it is not any more. */
  set: (button: string, refused: Refused | undefined) => void
}

const InGroup = createContext<Group | null>(null)

interface RefusalGroupProps {
  /** Shows the buttons, and the reasons at their place. */
  children: (reasons: ReactNode) => ReactNode
}

/** Buttons that stand together, such as those of a page's head or of a menu. Each reason for which some of them are off shows once. */
export function RefusalGroup({ children }: RefusalGroupProps) {
  const id = useId()
  const [refused, setRefused] = useState<ReadonlyMap<string, Refused>>(new Map())
  const set = useCallback((button: string, now: Refused | undefined) => {
    setRefused((before) => {
      if (!now && !before.has(button)) return before
      const next = new Map(before)
      if (now) next.set(button, now)
      else next.delete(button)
      return next
    })
  }, [])
  const group = useMemo(() => ({ id, set }), [id, set])
  return <InGroup value={group}>{children(<Reasons id={id} refused={[...refused.values()]} />)}</InGroup>
}

/** Buttons inside belong to no group around them. A dialog is inside the part of the page that opens it. */
export const NoRefusalGroup = ({ children }: { children: ReactNode }) => <InGroup value={null}>{children}</InGroup>

/**
 * Tells the group around a button why the button is off. The group shows the reason. Returns the id of this text, for `aria-describedby`.
 * Undefined if the button is in no group, or is not off.
 */
export function useRefusal(name: string, because: string | undefined): string | undefined {
  const group = useContext(InGroup)
  const button = useId()
  useLayoutEffect(() => {
    if (!group || because === undefined) return
    group.set(button, { name, because })
    return () => group.set(button, undefined)
  }, [group, button, name, because])
  return group && because !== undefined ? textId(group.id, because) : undefined
}

/** The id of a reason. It follows from the text, so that a button knows it before the text shows. */
export const textId = (group: string, because: string) =>
  `${group}${because.replaceAll(/\W/g, (sign) => `-${sign.charCodeAt(0).toString(16)}`)}`

const mostNames = 3

/** The reasons, each once with the names of what is off. */
export function Reasons({ id, refused }: { id: string; refused: readonly Refused[] }) {
  if (refused.length === 0) return null
  const reasons = Map.groupBy(refused, ({ because }) => because)
  // A list of many names would be longer than the reason. Their grey says which they are.
  const hasNames = reasons.size > 1 || refused.length <= mostNames
  return (
    <div className={`${css.reasons} on-screen`} data-reasons>
      {[...reasons].map(([because, buttons]) => (
        <p key={because}>
          {hasNames && <b>{buttons.map(({ name }) => name.replace(/…$/, '')).join(', ')}: </b>}
          <span id={textId(id, because)}>{because}</span>
        </p>
      ))}
    </div>
  )
}
