# The service in a container: compiled code and production packages only, as an ordinary user.
#
#   docker build -t searchmill .
#   docker run --rm -e DATABASE_URL=... searchmill migrate
#   docker run --rm -e DATABASE_URL=... -v ./jobs.config.yaml:/app/jobs.config.yaml:ro searchmill start
#
# It writes to /tmp only. So it also runs with --read-only --cap-drop ALL --security-opt no-new-privileges -v /tmp.

# By digest (of all platforms), since a tag may be moved: the same commit gives the same image. For a newer one:
# docker buildx imagetools inspect node:24-bookworm-slim
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script to build.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY sandbox ./sandbox
COPY embedded ./embedded
RUN node scripts/build.cjs

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the optional ones: the embedded Postgres is for demo and tests.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE}
# .github/workflows/release.yml adds version, revision and source.
LABEL org.opencontainers.image.title="searchmill" org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.description="Keeps a Postgres warehouse complete and exact with weekly search-visibility data"
WORKDIR /app
ENV NODE_ENV=production OPS_HOST=0.0.0.0
COPY --from=packages /app/node_modules ./node_modules
COPY package.json jobs.config.yaml jobs.config.schema.json ./
COPY migrations ./migrations
COPY dashboards ./dashboards
COPY demo ./demo
COPY init ./init
COPY signals ./signals
COPY --from=build /app/dist ./dist
COPY scripts/container-health.mjs ./
# The user node of the base image, by number: Kubernetes does not know from a name that it is not root.
USER 1000:1000
EXPOSE 9464
HEALTHCHECK --interval=15s --timeout=10s --start-period=20s CMD ["node", "container-health.mjs"]
# Node is process 1 and gets SIGTERM itself; it starts no processes, so no init is needed to collect them.
# The 4 MiB are that of V8's youngest objects, of which there are few: 40 MB less per process, docs/operations.md.
ENTRYPOINT ["node", "--max-semi-space-size=2", "--single-threaded-gc", "dist/main.js"]
CMD ["start"]
