// The script of /docs: search, links that open their operation, and copying of samples. The page works without it.

const search = document.querySelector('#search')
const found = document.querySelector('#found')
const operations = [...document.querySelectorAll('.operation')].map((element) => ({
  element,
  link: document.querySelector(`li[data-of="${element.dataset.id}"]`),
  title: `${element.dataset.id} ${element.querySelector('summary').textContent}`.toLowerCase(),
  text: element.textContent.toLowerCase(),
}))

/**
 * Shows the operations whose title contains all words of the search. If no title does, shows the operations whose text contains
 * them.
 */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const having = (part) => operations.filter((operation) => words.every((word) => operation[part].includes(word)))
  const inTitle = having('title')
  const shown = new Set(inTitle.length > 0 ? inTitle : having('text'))
  for (const operation of operations) {
    operation.element.hidden = !shown.has(operation)
    operation.link.hidden = !shown.has(operation)
  }
  const isSearching = words.length > 0
  for (const section of document.querySelectorAll('main > section')) {
    section.hidden = isSearching && !section.querySelector('.operation:not([hidden])')
  }
  for (const list of document.querySelectorAll('nav ul')) {
    const isEmpty = !list.querySelector('li:not([hidden])')
    list.hidden = isEmpty
    list.previousElementSibling.hidden = isEmpty
  }
  document.querySelector('nav').classList.toggle('searching', isSearching)
  found.textContent = isSearching ? `${shown.size} of ${operations.length} operations` : ''
}

/** Opens the element that the URL fragment names. Clears the search if the search hides that element. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1))
  if (!target) return
  if (target.closest('[hidden]')) {
    search.value = ''
    filter()
  }
  const around = target.closest('details')
  if (around) around.open = true
  target.scrollIntoView()
}

function addCopyButton(sample) {
  const text = sample.textContent
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  })
  sample.append(button)
}

document.documentElement.classList.add('script')
search.addEventListener('input', filter)
addEventListener('hashchange', openTarget)
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape' && document.activeElement === search) {
    search.value = ''
    filter()
  }
})
// Browsers offer the clipboard only on https pages and on pages of the same machine.
if (navigator.clipboard) for (const sample of document.querySelectorAll('.sample')) addCopyButton(sample)
openTarget()
