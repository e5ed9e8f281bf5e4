/** Uses a theme from now on, in this browser. `system` follows the system again. The file `theme.js` reads the choice before the first paint. */
export function changeTheme(theme: 'light' | 'dark' | 'system'): void {
  if (theme === 'system') {
    localStorage.removeItem('mandate theme')
    delete document.documentElement.dataset.theme
    return
  }
  localStorage.setItem('mandate theme', theme)
  document.documentElement.dataset.theme = theme
}
