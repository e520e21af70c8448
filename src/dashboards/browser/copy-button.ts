// A button that copies a text and confirms it.

/** `backAfterMs`: when the label is restored. Returns undefined if the page may not copy: browsers allow it only with TLS or on the loopback. */
export function copyButton(label: string, textOf: () => string, backAfterMs?: number): HTMLButtonElement | undefined {
  if (!navigator.clipboard) return undefined;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = label;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(textOf());
    button.textContent = 'Copied';
    if (backAfterMs !== undefined) {
      setTimeout(() => {
        button.textContent = label;
      }, backAfterMs);
    }
  });
  return button;
}
