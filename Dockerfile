# The service in a container: compiled code and production packages only, as an ordinary user.
#
#   docker build -t searchmill .
#   docker run --rm -e DATABASE_URL=... searchmill migrate
#   docker run --rm -e DATABASE_URL=... -v ./jobs.config.yaml:/app/jobs.config.yaml:ro searchmill start

# An exact version, so that the same commit gives the same image.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script to compile TypeScript.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.cjs

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the optional ones: the embedded Postgres is for demo and tests.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production OPS_HOST=0.0.0.0
COPY --from=packages /app/node_modules ./node_modules
COPY package.json jobs.config.yaml jobs.config.schema.json ./
COPY migrations ./migrations
COPY --from=build /app/dist ./dist
USER node
EXPOSE 9464
# Alive, not ready: a container must not be restarted because the database is away.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT || 9464}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and gets SIGTERM itself; it starts no processes, so no init is needed to collect them.
# The 4 MiB are that of V8's youngest objects, of which there are few: 40 MB less per process, docs/operations.md.
ENTRYPOINT ["node", "--max-semi-space-size=4", "dist/main.js"]
CMD ["start"]
