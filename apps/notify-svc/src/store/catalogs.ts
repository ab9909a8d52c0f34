import { defined } from "@platform/kit/process/fields";
import { collectionOf, retryOnce } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { type Channel, channels } from "../domain/channel.ts";
import type { PushTemplate } from "../domain/push-fields.ts";
import { type Template, templateId, type VariableType } from "../domain/template.ts";

type TemplateRecord = {
  key: string;
  channel: Channel;
  locale: string;
  subject: string;
  text: string;
  html: string | null;
  /** Absent where there is none, and from catalogs stored before a push had more than title and text. */
  push?: PushTemplate;
  /** Pairs, because an operator's names may be any text. */
  variables: { name: string; type: VariableType }[];
};

type CatalogRecord = {
  _id: string;
  /** By templateId, so that one template can be read without the others. */
  templates: Record<string, TemplateRecord>;
  updated_at: Date;
};

const schema = new Schema<CatalogRecord>(
  {
    _id: { type: String, required: true },
    templates: { type: Schema.Types.Mixed, required: true },
    updated_at: { type: Date, required: true },
  },
  { collection: "catalogs", strict: "throw", versionKey: false, minimize: false },
);

/** Catalogs: one document for each Project Client, so that replacing one is a single write. */
export function createCatalogStore(connection: Connection) {
  const model = connection.model<CatalogRecord>("Catalog", schema);
  return {
    /** Replaces the client's catalog; returns the one there was. */
    replace: async (projectClientId: string, templates: readonly Template[], now: Date): Promise<Template[]> => {
      const byId = Object.fromEntries(
        templates.map((template) => [templateId(template.key, template.channel, template.locale), toRecord(template)]),
      );
      const before = await retryOnce(() =>
        collectionOf(model).findOneAndReplace(
          { _id: projectClientId },
          { templates: byId, updated_at: now },
          { upsert: true, returnDocument: "before" },
        ),
      );
      return before === null ? [] : Object.values((before as unknown as CatalogRecord).templates).map(toTemplate);
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
    /** Does the client have a template of this key for another channel, in one of `locales`? */
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

  async function readTemplates(
    projectClientId: string,
    ids: readonly string[],
  ): Promise<Record<string, TemplateRecord>> {
    const fields = Object.fromEntries(ids.map((id) => [`templates.${id}`, 1]));
    const record = await collectionOf(model).findOne({ _id: projectClientId }, { projection: fields });
    return (record as unknown as CatalogRecord | null)?.templates ?? {};
  }
}

function toTemplate(record: TemplateRecord): Template {
  const { variables, push, ...rest } = record;
  return {
    ...rest,
    push: push ?? null,
    variables: Object.fromEntries(variables.map(({ name, type }) => [name, type])),
  };
}

function toRecord({ push, ...template }: Template): TemplateRecord {
  const variables = Object.entries(template.variables).map(([name, type]) => ({ name, type }));
  return { ...template, ...defined({ push }), variables };
}
