import { createCoalescer } from "@platform/kit/process/coalescer";
import { defined } from "@platform/kit/process/fields";
import { absent, collectionOf, isDuplicateKey } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { type CatalogChanges, catalogChanges, isUnchanged } from "../domain/catalog-changes.ts";
import { type Channel, channels } from "../domain/channel.ts";
import type { MailTemplate } from "../domain/mail-fields.ts";
import type { PushTemplate } from "../domain/push-fields.ts";
import { type Template, templateId, type VariableType } from "../domain/template.ts";
import {
  type CatalogVersion,
  createCatalogVersionStore,
  type NewCatalogVersion,
  versionsKept,
} from "./catalog-versions.ts";

type TemplateRecord = {
  key: string;
  channel: Channel;
  locale: string;
  subject: string;
  text: string;
  html: string | null;
  /** Missing if there is none, and in catalogs that were stored before pushes had more fields than title and text. */
  push?: PushTemplate;
  /** Missing if there is none, and in catalogs that were stored before emails had more fields than texts. */
  mail?: MailTemplate;
  /** Variables are stored as pairs, because operators may choose names that are not valid field names. */
  variables: { name: string; type: VariableType }[];
};

type CatalogRecord = {
  _id: string;
  /** The templates by templateId, so that one of them can be read without the others. */
  templates: Record<string, TemplateRecord>;
  updated_at: Date;
  /** Number of the catalog, counted from 1. Absent from catalogs that were applied before versions were recorded. */
  version?: number;
  /** Ids of the kept versions, oldest first, including this one. */
  versions?: string[];
};

const schema = new Schema<CatalogRecord>(
  {
    _id: { type: String, required: true },
    templates: { type: Schema.Types.Mixed, required: true },
    updated_at: { type: Date, required: true },
    version: Number,
    versions: { type: [String], default: undefined },
  },
  { collection: "catalogs", strict: "throw", versionKey: false, minimize: false },
);

type TemplatesOfCatalog = { readonly projectClientId: string; readonly ids: readonly string[] };

/** Changes made by applying a catalog, and the number of its version. */
export type AppliedVersion = { readonly changes: CatalogChanges; readonly version: number };

/** Catalogs: one document for each Project Client, so that replacing one is a single write. */
export function createCatalogStore(connection: Connection) {
  const model = connection.model<CatalogRecord>("Catalog", schema);
  const versions = createCatalogVersionStore(connection);
  /** Reads templates of a catalog. Concurrent calls for one catalog share a command, which is sent after each of them. */
  const readCatalog = createCoalescer<TemplatesOfCatalog, Readonly<Record<string, TemplateRecord>>>(
    async (wanted, projectClientId) => {
      const fields = Object.fromEntries(wanted.flatMap(({ ids }) => ids.map((id) => [`templates.${id}`, 1])));
      const record = await collectionOf(model).findOne({ _id: projectClientId }, { projection: fields });
      const { templates = {} } = (record as unknown as CatalogRecord | null) ?? {};
      return { results: wanted.map(() => templates) };
    },
    { itemsMax: 100, callsMax: 2, keyOf: ({ projectClientId }) => projectClientId },
  );
  return {
    /**
     * Replaces the client's catalog, and keeps it as a version. A catalog without changes creates no version. The
     * version is stored first, and then one write makes it the current catalog. Of two concurrent calls, the later
     * one compares its catalog with the result of the first.
     */
    apply: async (
      projectClientId: string,
      templates: readonly Template[],
      { by, now }: { readonly by: string; readonly now: Date },
    ): Promise<AppliedVersion> => {
      for (;;) {
        const record = (await collectionOf(model).findOne({ _id: projectClientId })) as CatalogRecord | null;
        const before = record === null ? [] : Object.values(record.templates).map(toTemplate);
        const changes = catalogChanges(before, templates);
        const present = record?.version ?? 0;
        if (record !== null && isUnchanged(changes)) return { changes, version: present };
        const kept = record?.versions ?? [];
        const first = record === null || present > 0 ? [] : [await versions.add(ofEarlier(record, before))];
        const version = present + first.length + 1;
        const id = await versions.add({
          projectClientId,
          version,
          templates: toRecords(templates),
          appliedAt: now,
          by,
          changes,
        });
        const ids = [...kept, ...first, id].slice(-versionsKept);
        const next = { templates: toRecords(templates), updated_at: now, version, versions: ids };
        if (await replace(projectClientId, record, next)) {
          await versions.removeOthers(projectClientId, ids, now);
          return { changes, version };
        }
        await versions.remove([...first, id]);
      }
    },
    /** The kept versions of a client, newest first. */
    listVersions: async (projectClientId: string): Promise<CatalogVersion[]> => {
      const record = await collectionOf(model).findOne({ _id: projectClientId }, { projection: { versions: 1 } });
      return versions.list((record as Pick<CatalogRecord, "versions"> | null)?.versions ?? []);
    },
    /** The templates of a kept version; null if it is not kept. */
    readVersion: async (projectClientId: string, version: number): Promise<Template[] | null> => {
      const record = await collectionOf(model).findOne({ _id: projectClientId }, { projection: { versions: 1 } });
      const found = await versions.find((record as Pick<CatalogRecord, "versions"> | null)?.versions ?? [], version);
      return found === null ? null : Object.values(found as Record<string, TemplateRecord>).map(toTemplate);
    },
    list: async (projectClientId: string): Promise<Template[]> => {
      const record = await model.findById(projectClientId).lean<CatalogRecord>().exec();
      return record === null ? [] : Object.values(record.templates).map(toTemplate);
    },
    /** The template of the first of `locales` that has one. */
    find: async (
      projectClientId: string,
      key: string,
      channel: Channel,
      locales: readonly string[],
    ): Promise<Template | null> => {
      const ids = locales.map((locale) => templateId(key, channel, locale));
      const found = await readTemplates(projectClientId, ids);
      const id = ids.find((candidate) => found[candidate] !== undefined);
      const record = id === undefined ? undefined : found[id];
      return record === undefined ? null : toTemplate(record);
    },
    /** True if the client has a template with this key for another channel, in one of `locales`. */
    existsForOtherChannel: async (
      projectClientId: string,
      key: string,
      channel: Channel,
      locales: readonly string[],
    ): Promise<boolean> => {
      const others = channels.filter((other) => other !== channel);
      const ids = others.flatMap((other) => locales.map((locale) => templateId(key, other, locale)));
      return Object.keys(await readTemplates(projectClientId, ids)).length > 0;
    },
  };

  /** @returns false if another catalog was applied in the meantime */
  async function replace(id: string, record: CatalogRecord | null, next: Omit<CatalogRecord, "_id">): Promise<boolean> {
    if (record !== null) {
      const condition = { _id: id, version: record.version ?? absent, updated_at: record.updated_at };
      return (await collectionOf(model).replaceOne(condition, next)).matchedCount === 1;
    }
    try {
      await collectionOf(model).insertOne({ _id: id, ...next });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async function readTemplates(
    projectClientId: string,
    ids: readonly string[],
  ): Promise<Record<string, TemplateRecord>> {
    const templates = await readCatalog({ projectClientId, ids });
    return Object.fromEntries(
      ids.flatMap((id) => {
        const template = templates[id];
        return template === undefined ? [] : [[id, template]];
      }),
    );
  }
}

/** Describes a catalog that was applied before versions were recorded, as the first version. */
function ofEarlier({ _id, templates, updated_at }: CatalogRecord, before: readonly Template[]): NewCatalogVersion {
  const changes = catalogChanges([], before);
  return { projectClientId: _id, version: 1, templates, appliedAt: updated_at, by: "", changes };
}

const toRecords = (templates: readonly Template[]): Record<string, TemplateRecord> =>
  Object.fromEntries(
    templates.map((template) => [templateId(template.key, template.channel, template.locale), toRecord(template)]),
  );

function toTemplate(record: TemplateRecord): Template {
  const { variables, push, mail, ...rest } = record;
  return {
    ...rest,
    push: push ?? null,
    mail: mail ?? null,
    variables: Object.fromEntries(variables.map(({ name, type }) => [name, type])),
  };
}

function toRecord({ push, mail, ...template }: Template): TemplateRecord {
  const variables = Object.entries(template.variables).map(([name, type]) => ({ name, type }));
  return { ...template, ...defined({ push, mail }), variables };
}
