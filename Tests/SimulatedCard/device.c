/* What sinks and sources have in common: the thread, names, properties, ports and the clock. */

#include <pulse/rtclock.h>
#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>
#include <pulsecore/log.h>

#include "simulated-card.h"

/* While another user has the session, new devices sleep too. Only now, after the put: a sink that
 * starts suspended leaves its monitor awake. */
static void inherit_suspend(sim_device *device) {
    pa_suspend_cause_t cause = device->card->card->suspend_cause;

    if (cause && device->sink)
        pa_sink_suspend(device->sink, true, cause);
    if (cause && device->source)
        pa_source_suspend(device->source, true, cause);
}

sim_device *sim_device_new(sim_card *card, const sim_mapping *mapping) {
    sim_device *device = pa_xnew0(sim_device, 1);
    bool output = mapping->direction == PA_DIRECTION_OUTPUT;

    device->card = card;
    device->mapping = mapping;
    device->rtpoll = pa_rtpoll_new();
    device->block = sim_device_fixed_latency(device);
    if (!device->block)
        device->block = card->max_latency;
    if (card->period && !output)
        device->block = card->period; /* it delivers each period when it is full */

    if (pa_thread_mq_init(&device->mq, card->core->mainloop, device->rtpoll) < 0)
        goto fail;
    device->mq_ready = true;

    if (!(output ? sim_sink_create(device) : sim_source_create(device)))
        goto fail;

    /* The thread first: putting a device waits for an answer from its thread. */
    device->thread = pa_thread_new(
        output ? "sim-sink" : "sim-source", output ? sim_sink_thread : sim_source_thread, device);
    if (!device->thread)
        goto fail;

    if (output)
        pa_sink_put(device->sink);
    else
        pa_source_put(device->source);
    inherit_suspend(device);
    return device;

fail:
    pa_log("Cannot create the device of %s.", mapping->name);
    sim_device_free(device);
    return NULL;
}

void sim_device_free(sim_device *device) {
    /* Unlinking needs the thread, and the thread needs the object until it has ended. */
    if (device->sink)
        pa_sink_unlink(device->sink);
    if (device->source)
        pa_source_unlink(device->source);
    if (device->mixer_event)
        device->card->core->mainloop->defer_free(device->mixer_event);

    if (device->thread) {
        pa_asyncmsgq_send(device->mq.inq, NULL, PA_MESSAGE_SHUTDOWN, NULL, 0, NULL);
        pa_thread_free(device->thread);
    }
    if (device->mq_ready)
        pa_thread_mq_done(&device->mq);
    if (device->sink)
        pa_sink_unref(device->sink);
    if (device->source)
        pa_source_unref(device->source);
    if (device->wave.memblock)
        pa_memblock_unref(device->wave.memblock);
    pa_rtpoll_free(device->rtpoll);
    pa_xfree(device);
}

/* ---- Names, properties, ports ---- */

uint32_t sim_device_first_rate(const sim_device *device) {
    return device->mapping->fixed_rate ? device->mapping->fixed_rate : device->card->rates[0];
}

pa_usec_t sim_device_fixed_latency(const sim_device *device) {
    if (device->mapping->fixed_latency) /* a radio link */
        return device->mapping->fixed_latency;
    return device->card->fixed_latency;
}

bool sim_device_has_rate(const sim_device *device, uint32_t rate) {
    /* A radio link keeps the rate that was negotiated for it. */
    if (device->card->kind->bluetooth)
        return rate == sim_device_first_rate(device);
    for (unsigned i = 0; i < device->card->n_rates; i++)
        if (device->card->rates[i] == rate)
            return true;
    return false;
}

char *sim_device_name(const sim_device *device) {
    bool output = device->mapping->direction == PA_DIRECTION_OUTPUT;
    const char *prefix;

    if (device->card->kind->bluetooth)
        prefix = output ? "bluez_sink" : "bluez_source";
    else
        prefix = output ? "alsa_output" : "alsa_input";
    return pa_sprintf_malloc("%s.%s.%s", prefix, device->card->name, device->mapping->name);
}

void sim_device_describe(const sim_device *device, pa_proplist *properties) {
    pa_proplist *card = device->card->card->proplist;
    const char *product = pa_proplist_gets(card, PA_PROP_DEVICE_DESCRIPTION);
    const char *string = pa_proplist_gets(card, PA_PROP_DEVICE_STRING);

    if (device->card->kind->bluetooth) {
        pa_proplist_sets(properties, "bluetooth.protocol", device->mapping->name);
        /* A headset's call side is meant for calls; policy modules look at this. */
        if (device->mapping->fixed_rate)
            pa_proplist_sets(properties, PA_PROP_DEVICE_INTENDED_ROLES, "phone");
        return;
    }
    pa_proplist_setf(properties, PA_PROP_DEVICE_DESCRIPTION, "%s %s", pa_strnull(product),
                     device->mapping->description);
    pa_proplist_setf(properties, PA_PROP_DEVICE_STRING, "hw:%s", pa_strnull(string));
    pa_proplist_sets(properties, PA_PROP_DEVICE_PROFILE_NAME, device->mapping->name);
    pa_proplist_sets(properties, PA_PROP_DEVICE_PROFILE_DESCRIPTION, device->mapping->description);
}

void sim_device_add_ports(const sim_device *device, pa_hashmap *ports) {
    for (unsigned i = 0; i < SIM_MAX_PORTS && device->mapping->ports[i]; i++) {
        pa_device_port *port =
            pa_hashmap_get(device->card->card->ports, device->mapping->ports[i]->name);
        pa_assert_se(pa_hashmap_put(ports, port->name, port) >= 0);
        pa_device_port_ref(port);
    }
}

void sim_device_nearest_volume(const sim_device *device, pa_cvolume *volume) {
    uint32_t last = device->card->volume_steps - 1;

    for (unsigned i = 0; i < volume->channels; i++) {
        uint64_t step = ((uint64_t) volume->values[i] * last + PA_VOLUME_NORM / 2) / PA_VOLUME_NORM;
        volume->values[i] = (pa_volume_t) (PA_MIN(step, last) * PA_VOLUME_NORM / last);
    }
}

/* ---- The clock ---- */

void sim_clock_start(sim_clock *clock, pa_usec_t now) {
    clock->base = now;
    clock->frames = 0;
}

pa_usec_t sim_clock_time(const sim_clock *clock, uint32_t rate) {
    return clock->base + (pa_usec_t) (clock->frames * (int64_t) PA_USEC_PER_SEC / rate);
}

/* Negative when the clock is ahead of now. */
int64_t sim_clock_frames_until(const sim_clock *clock, pa_usec_t now, uint32_t rate) {
    return ((int64_t) now - (int64_t) clock->base) * rate / (int64_t) PA_USEC_PER_SEC
        - clock->frames;
}
