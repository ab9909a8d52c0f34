# syntax=docker/dockerfile:1
# Builds the image of one app: docker build --build-arg APP=events-svc -t platform/events-svc .
# The server, the worker and the migration of a service use one image with different commands; see compose.yaml and k8s/. Backups use a separate image, because
# no serving process needs the S3 SDK: docker build --build-arg APP=events-svc --build-arg WITH=libs/backup -t platform/events-svc-backup .

ARG NODE_VERSION=26.10.0
# The base image is Debian with Node and npm. Choose another one if Docker Hub cannot be reached.
ARG BASE=node:${NODE_VERSION}-bookworm-slim

FROM ${BASE} AS build
ARG APP
# A library that the image contains in addition to the dependencies of the app.
ARG WITH=""
WORKDIR /repository
COPY . .
# npm workspaces keep their links in the image, because Node strips types only outside of node_modules.
RUN --mount=type=cache,target=/root/.npm \
    node tools/checks/src/images/assemble-app-tree.ts /platform "apps/${APP}" ${WITH}

FROM ${BASE}
ARG APP
ENV NODE_ENV=production HOST=:: PROBE_PORT=8081 GATEWAY_INTERNAL_PORT=8081
# Processes do not need npm and yarn, and software that is not in the image needs no security patches.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
# compose.yaml mounts a volume for temporary files here. A new volume gets the owner of this folder.
RUN install -d -o 65534 -g 65534 /work
COPY --from=build --chown=root:root /platform /platform
WORKDIR /platform/apps/${APP}
USER 65534:65534
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8081/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node"]
CMD ["--min-semi-space-size=32", "--heap-growing-percent=200", "src/start-server.ts"]
