// The frame of every page. Preact writes it on the server only and escapes whatever stands in braces.

import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { asTyped } from '../core/own-command.ts';
import type { Board } from './boards.ts';
import { FindBox } from './find-box.tsx';

export type PageLink = Readonly<{ name: string; href: string; label: string }>;

/** What every page needs. */
export type Frame = Readonly<{
  boards: readonly Pick<Board, 'name' | 'title' | 'variables' | 'about' | 'audience'>[];
  /** Pages for operators, beside the boards. */
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
  const linkOf = ({ name, title: label }: Frame['boards'][number]): PageLink => ({ name, href: `/boards/${name}${search}`, label });
  const ofAnalysts = frame.boards.filter(({ audience }) => audience === 'analysts');
  const operators = [...frame.boards.filter(({ audience }) => audience === 'operators').map(linkOf), ...frame.links];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Searchmill`}</title>
        <link rel="icon" href={`/assets/icon.svg?${frame.assetVersion}`} type="image/svg+xml" />
        <link rel="stylesheet" href={`/assets/pages.css?${frame.assetVersion}`} />
        <link rel="stylesheet" href={`/assets/find.css?${frame.assetVersion}`} />
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
          <nav aria-label="Boards">
            <Links links={ofAnalysts.filter(({ about }) => about === undefined).map(linkOf)} current={current} />
            <Links links={ofAnalysts.filter(({ about }) => about !== undefined).map(linkOf)} current={current} title="Of one" />
          </nav>
          {frame.boards.length > 0 && <FindBox chosen={chosen} />}
          {frame.hasSession && (
            <form method="post" action="/logout">
              <button type="submit" class="quiet">
                Log out
              </button>
            </form>
          )}
        </header>
        <main id="content">{children}</main>
        {frame.boards.length > 0 && (
          <footer class="bottom">
            <nav aria-label="More pages">
              <Links
                links={[
                  { name: 'glossary', href: '/glossary', label: 'Glossary' },
                  { name: 'report', href: `/report${search}`, label: 'Report' },
                  { name: 'all', href: '/boards', label: 'All boards' },
                ]}
                current={current}
              />
            </nav>
            {operators.length > 0 && (
              <nav aria-label="For operators">
                <Links links={operators} current={current} title="For operators" />
              </nav>
            )}
          </footer>
        )}
      </body>
    </html>
  );
}

type LinksProps = Readonly<{ links: readonly PageLink[]; current: string | undefined; title?: string }>;

function Links({ links, current, title }: LinksProps): JSX.Element | null {
  if (links.length === 0) return null;
  return (
    <ul>
      {title && <li class="group">{title}</li>}
      {links.map(({ name, href, label }) => (
        <li key={name}>
          <a href={href} aria-current={name === current ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function writePage(page: JSX.Element): string {
  return `<!doctype html>${asTyped(renderToString(page))}`;
}
