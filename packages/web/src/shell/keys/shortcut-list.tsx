import css from './shortcuts.module.css'

const groups = [
  {
    name: 'Everywhere',
    keys: [
      {
        keys: ['Ctrl K'],
        what: 'Find agents, policies, tools, people, pages and actions. “Freeze” or “suspend” and a name stops an agent',
      },
      { keys: ['?'], what: 'Show this list' },
      { keys: ['Esc'], what: 'Close what is open' },
    ],
  },
  {
    name: 'In a list',
    keys: [
      { keys: ['J', 'K'], what: 'Go to the next or the previous row, and from outside to the first row' },
      { keys: ['Enter'], what: 'Open the row' },
      { keys: ['X'], what: 'Select the row, where many can be changed at once' },
    ],
  },
  { name: 'In a chart', keys: [{ keys: ['T'], what: 'Show the same values as a table' }] },
  {
    name: 'In the text of a policy',
    keys: [
      { keys: ['F8'], what: 'Go to the next error' },
      { keys: ['Ctrl F'], what: 'Find and replace' },
      { keys: ['Ctrl Z'], what: 'Undo' },
      { keys: ['Esc', 'Tab'], what: 'Leave the editor' },
    ],
  },
]

/** All shortcuts of the keyboard, by the place where they work. */
export const ShortcutList = () =>
  groups.map(({ name, keys }) => (
    <section key={name}>
      <h3 className={css.name}>{name}</h3>
      <dl className={css.keys}>
        {keys.map(({ keys, what }) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  ))
