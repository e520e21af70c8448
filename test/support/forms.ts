// Tests of functions that say whether a text is of some form: one for each text.
import { expect, it } from 'vitest';

type IsOfForm = (text: string) => boolean;

export const itAccepts = (isOfForm: IsOfForm, texts: readonly string[]): void =>
  it.each(texts)('%j is one', (text) => expect(isOfForm(text)).toBe(true));

export const itRefuses = (isOfForm: IsOfForm, texts: readonly string[]): void =>
  it.each(texts)('%j is none', (text) => expect(isOfForm(text)).toBe(false));
