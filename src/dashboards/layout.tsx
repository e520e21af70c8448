// The frame of every page. Preact writes it on the server only and escapes whatever stands in braces.

import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { asTyped } from '../core/own-command.ts';
import type { Board } from './boards.ts';

export type PageLink = Readonly<{ name: string; href: string; label: string }>;

/** What every page needs. */
export type Frame = Readonly<{
  boards: readonly Pick<Board, 'name' | 'title' | 'variables'>[];
  /** Pages beside the boards. */
  links: readonly PageLink[];
  /** Of the assets, so that a browser never uses those of another release. */
  assetVersion: string;
  /** Where notes on an account are added and removed; undefined where pages take none. */
  notesAddress?: string | undefined;
  /** Whether there is a session to end. */
  hasSession: boolean;
}>;

type LayoutProps = Readonly<{
  frame: Frame;
  title: string;
  current?: string;
  kind?: string;
  /** What goes along to other boards. */
  chosen?: URLSearchParams;
  children: ComponentChildren;
}>;

export function Layout({ frame, title, current, kind, chosen, children }: LayoutProps): JSX.Element {
  const search = chosen && chosen.size > 0 ? `?${chosen}` : '';
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Searchmill`}</title>
        <link rel="icon" href={`/assets/icon.svg?${frame.assetVersion}`} type="image/svg+xml" />
        <link rel="stylesheet" href={`/assets/pages.css?${frame.assetVersion}`} />
        <script src={`/assets/charts.js?${frame.assetVersion}`} defer />
      </head>
      <body data-page={kind}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="home" href="/">
            <img src={`/assets/icon.svg?${frame.assetVersion}`} alt="" width="24" height="24" />
            Searchmill
          </a>
          <nav aria-label="Pages">
            <ul>
              {frame.boards.map(({ name, title: label }) => (
                <li key={name}>
                  <a href={`/boards/${name}${search}`} aria-current={name === current ? 'page' : undefined}>
                    {label}
                  </a>
                </li>
              ))}
              {frame.links.map(({ name, href, label }) => (
                <li key={name}>
                  <a href={href} aria-current={name === current ? 'page' : undefined}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {frame.hasSession && (
            <form method="post" action="/logout">
              <button type="submit" class="quiet">
                Log out
              </button>
            </form>
          )}
        </header>
        <main id="content">{children}</main>
      </body>
    </html>
  );
}

export function writePage(page: JSX.Element): string {
  return `<!doctype html>${asTyped(renderToString(page))}`;
}
