#include "profctl/processed/counter_display.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A row of the tooltip; NULL: the row has none. */
struct tooltip_row {
    const char *source, *unit, *label, *label_key;
    const char *co2, *scale;
    bool is_of_selection;
};

enum { MAX_ROWS = 6 };

static const char separator[] = "separator"; /* the source of a row that is only a line */

struct display {
    const char *graph, *unit, *color, *markers, *label;
    uint32_t sort_weight; /* lower ones stand above */
    struct tooltip_row rows[MAX_ROWS];
};

static const struct display bandwidth = {
    .graph = "line-rate",
    .unit = "bytes",
    .color = "blue",
    .sort_weight = 10,
    .label = "Bandwidth",
    .rows = { { "rate", "bytes-per-second", "Speed", "bandwidth-speed", "per-byte", NULL, false },
              { "sample-number", "number", "Reads and writes since the sample before",
                "bandwidth-operations", NULL, NULL, false },
              { .source = separator },
              { "accumulated", "bytes", "Transferred so far", "bandwidth-cumulative", "per-byte",
                NULL, false },
              { "count-range", "bytes", "Transferred in view", "bandwidth-total-graph", "per-byte",
                NULL, false },
              { "selection-total", "bytes", "Transferred in the selection",
                "bandwidth-total-selection", "per-byte", NULL, true } },
};

static const struct display memory = {
    .graph = "line-accumulated",
    .unit = "bytes",
    .color = "orange",
    .markers = "timeline-memory",
    .sort_weight = 20,
    .label = "Memory",
    .rows = { { "accumulated", "bytes", "Memory, above the least", "memory-relative", NULL, NULL,
                false },
              { "count-range", "bytes", "Range in view", "memory-range", NULL, NULL, false },
              { "sample-number", "number", "Allocations and frees since the sample before",
                "memory-operations", NULL, NULL, false } },
};

/* Called as the counter is. */
static const struct display power = {
    .graph = "line-rate",
    .unit = "pWh",
    .color = "grey",
    .sort_weight = 30,
    .rows = { { "count", "number", "Power", "power", "per-watthour", "power", false },
              { "selection-total", "number", "Energy of the selection", "power-energy-preview",
                "per-watthour", "energy", true },
              { "selection-rate", "number", "Mean power of the selection", "power-average-preview",
                "per-watthour", "power", true },
              { "committed-range-total", "number", "Energy in view", "power-energy-range",
                "per-watthour", "energy", false } },
};

static const struct display process_cpu = {
    .graph = "line-rate",
    .unit = "percent",
    .color = "grey",
    .sort_weight = 40,
    .label = "Process CPU",
    .rows = { { "cpu-ratio", "percent", "CPU", "cpu", NULL, NULL, false } },
};

static const struct display any_other = {
    .graph = "line-rate",
    .unit = "",
    .color = "grey",
    .sort_weight = 50,
    .rows = { { "count", "number", NULL, NULL, NULL, NULL, false } },
};

static const struct display *choose_display(const char *name, const char *category)
{
    if (strcmp(category, "Bandwidth") == 0)
        return &bandwidth;
    if (strcmp(category, "Memory") == 0)
        return &memory;
    if (strcmp(category, "power") == 0)
        return &power;
    if (strcmp(category, "CPU") == 0 && strcmp(name, "processCPU") == 0)
        return &process_cpu;
    return &any_other;
}

static void put_row(const struct tooltip_row *row, const char *name, struct json_writer *writer)
{
    json_start_object(writer);
    if (row->source == separator) {
        json_string_property(writer, "type", separator);
        json_end_object(writer);
        return;
    }
    json_string_property(writer, "type", "value");
    json_string_property(writer, "source", row->source);
    json_start_object_property(writer, "format");
    json_string_property(writer, "unit", row->unit);
    if (row->co2 != NULL)
        json_string_property(writer, "co2", row->co2);
    if (row->scale != NULL)
        json_string_property(writer, "scale", row->scale);
    json_end_object(writer);
    json_string_property(writer, "label", row->label != NULL ? row->label : name);
    if (row->label_key != NULL)
        json_string_property(writer, "labelKey", row->label_key);
    if (row->is_of_selection)
        json_bool_property(writer, "requiresPreviewSelection", true);
    json_end_object(writer);
}

void counter_display_write(const char *name, const char *category, struct json_writer *writer)
{
    const struct display *display = choose_display(name, category);

    json_start_object_property(writer, "display");
    json_string_property(writer, "graphType", display->graph);
    json_string_property(writer, "unit", display->unit);
    json_string_property(writer, "color", display->color);
    json_name(writer, "markerSchemaLocation");
    if (display->markers != NULL)
        json_string(writer, display->markers);
    else
        json_null(writer);
    json_u64_property(writer, "sortWeight", display->sort_weight);
    json_string_property(writer, "label", display->label != NULL ? display->label : name);
    json_start_array_property(writer, "tooltipRows");
    for (size_t i = 0; i < MAX_ROWS && display->rows[i].source != NULL; i++)
        put_row(&display->rows[i], name, writer);
    json_end_array(writer);
    json_end_object(writer);
}
