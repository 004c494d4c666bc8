/* A source that records in real time from nothing: silence, or one sine a channel. */

#include <math.h>
#include <string.h>

#include <pulse/rtclock.h>
#include <pulse/util.h>
#include <pulse/xmalloc.h>
#include <pulsecore/log.h>

#include "simulated-card.h"

#define TONE_HZ 440 /* of the first channel; channel n has n + 1 times that */
#define AMPLITUDE 0.25

static uint32_t rate_of(const sim_device *device) {
    return device->source->sample_spec.rate;
}

/* ---- The sound ---- */

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The shortest loop in which every channel has whole periods, repeated while it fits a block of
 * the daemon's pool: blocks from the pool reach the clients without a copy. */
static void make_wave(sim_device *device) {
    pa_mempool *pool = device->card->core->mempool;
    unsigned channels = device->source->sample_spec.channels;
    size_t frame = pa_frame_size(&device->source->sample_spec);
    size_t loop = rate_of(device) / greatest_common_divisor(rate_of(device), TONE_HZ);
    size_t frames = loop * PA_MAX(pa_mempool_block_size_max(pool) / (loop * frame), (size_t) 1);
    int16_t *samples;

    if (device->wave.memblock)
        pa_memblock_unref(device->wave.memblock);
    device->wave.memblock = pa_memblock_new(pool, frames * frame);
    device->wave.index = 0;
    device->wave.length = frames * frame;
    device->wave_index = 0;

    samples = pa_memblock_acquire(device->wave.memblock);
    memset(samples, 0, device->wave.length);
    for (size_t i = 0; device->card->tone && i < frames; i++)
        for (unsigned channel = 0; channel < channels; channel++) {
            double turns = (double) (i % loop) * TONE_HZ * (channel + 1) / rate_of(device);
            samples[i * channels + channel] =
                (int16_t) lrint(AMPLITUDE * INT16_MAX * sin(2 * M_PI * turns));
        }
    pa_memblock_release(device->wave.memblock);
}

static void post(sim_device *device, int64_t frames) {
    size_t frame = pa_frame_size(&device->source->sample_spec);
    size_t left = (size_t) frames * frame;

    while (left > 0) {
        pa_memchunk chunk = device->wave;

        chunk.index = device->wave_index;
        chunk.length = PA_MIN(device->wave.length - device->wave_index, left);
        pa_source_post(device->source, &chunk);
        device->wave_index = (device->wave_index + chunk.length) % device->wave.length;
        left -= chunk.length;
    }
    device->clock.frames += frames;
}

/* ---- Called by the core ---- */

/* Called from the device's thread. */
static int process_message(
    pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk) {
    sim_device *device = PA_SOURCE(object)->userdata;

    switch (code) {
        case PA_SOURCE_MESSAGE_GET_LATENCY: /* the age of the oldest frame not yet delivered */
            *(int64_t *) data = (int64_t) pa_rtclock_now()
                - (int64_t) sim_clock_time(&device->clock, rate_of(device));
            return 0;
        case SIM_SOURCE_MESSAGE_STALL:
            device->stalled_until = pa_rtclock_now() + (pa_usec_t) offset;
            return 0;
    }
    return pa_source_process_msg(object, code, data, offset, chunk);
}

/* Called from the device's thread. */
static int set_state(pa_source *source, pa_source_state_t state, pa_suspend_cause_t cause) {
    sim_device *device = source->userdata;

    if (!PA_SOURCE_IS_OPENED(source->thread_info.state) && PA_SOURCE_IS_OPENED(state))
        sim_clock_start(&device->clock, pa_rtclock_now());
    return 0;
}

/* Called from the device's thread. */
static void update_requested_latency(pa_source *source) {
    sim_device *device = source->userdata;

    device->block = pa_source_get_requested_latency_within_thread(source);
    if (device->block == (pa_usec_t) -1)
        device->block = source->thread_info.max_latency;
}

/* Called from the main thread while the source is suspended: its thread leaves the wave alone. */
static void reconfigure(pa_source *source, pa_sample_spec *spec, bool passthrough) {
    if (passthrough || !sim_device_has_rate(source->userdata, spec->rate))
        return;
    source->sample_spec.rate = spec->rate;
    make_wave(source->userdata);
}

static void report_mixer(pa_mainloop_api *api, pa_defer_event *event, void *userdata) {
    sim_device *device = userdata;

    api->defer_free(event);
    device->mixer_event = NULL;
    pa_source_volume_changed(device->source, &device->mixer_level);
}

/* Nothing in software makes up for the difference, as in module-alsa-card. A mixer reports its level when
 * that has changed, and the daemon takes it over then. */
static void set_volume(pa_source *source) {
    sim_device *device = source->userdata;
    pa_cvolume nearest = source->real_volume;

    sim_device_nearest_volume(device, &nearest);
    if (!device->card->has_mixer) {
        source->real_volume = nearest;
    } else if (!pa_cvolume_equal(&nearest, &device->mixer_level)) {
        pa_mainloop_api *api = device->card->core->mainloop;
        device->mixer_level = nearest;
        if (!device->mixer_event)
            device->mixer_event = api->defer_new(api, report_mixer, device);
    }
}

static int set_port(pa_source *source, pa_device_port *port) {
    pa_log_debug("%s: port %s", source->name, port->name);
    return 0;
}

/* ---- The thread ---- */

/* What the buffer of real hardware could not hold is lost: an overrun. */
static void skip_overrun(sim_device *device, pa_usec_t now) {
    int64_t limit = (int64_t) (SIM_MAX_LATENCY / PA_USEC_PER_SEC) * rate_of(device);
    int64_t due = sim_clock_frames_until(&device->clock, now, rate_of(device));

    if (due > limit)
        device->clock.frames += due - limit;
}

/* The frames that are there; of a batch device, those of whole periods. */
static int64_t available(const sim_device *device, pa_usec_t now) {
    int64_t frames = sim_clock_frames_until(&device->clock, now, rate_of(device));
    int64_t period = (int64_t) (device->card->period * rate_of(device) / PA_USEC_PER_SEC);

    return period > 0 ? frames - frames % period : frames;
}

static void record(sim_device *device) {
    pa_usec_t now = pa_rtclock_now(), due;

    if (!PA_SOURCE_IS_OPENED(device->source->thread_info.state)) {
        pa_rtpoll_set_timer_disabled(device->rtpoll);
        return;
    }
    due = sim_clock_time(&device->clock, rate_of(device)) + device->block;
    if (due <= now && device->stalled_until <= now) {
        skip_overrun(device, now);
        post(device, available(device, now));
        due = sim_clock_time(&device->clock, rate_of(device)) + device->block;
    }
    pa_rtpoll_set_timer_absolute(device->rtpoll, PA_MAX(due, device->stalled_until));
}

void sim_source_thread(void *userdata) {
    sim_device *device = userdata;
    int result;

    if (device->card->core->realtime_scheduling)
        pa_thread_make_realtime(device->card->core->realtime_priority);
    pa_thread_mq_install(&device->mq);
    sim_clock_start(&device->clock, pa_rtclock_now());

    do
        record(device);
    while ((result = pa_rtpoll_run(device->rtpoll)) > 0);

    if (result < 0) { /* not asked to end: ask to be unloaded, and serve until then */
        pa_asyncmsgq_post(device->mq.outq, PA_MSGOBJECT(device->card->core),
                          PA_CORE_MESSAGE_UNLOAD_MODULE, device->card->module, 0, NULL, NULL);
        pa_asyncmsgq_wait_for(device->mq.inq, PA_MESSAGE_SHUTDOWN);
    }
}

/* ---- Creation ---- */

static pa_source *create(sim_device *device) {
    pa_sample_spec spec = { .format = PA_SAMPLE_S16NE, .rate = sim_device_first_rate(device),
                            .channels = device->mapping->map.channels };
    pa_source_flags_t flags = PA_SOURCE_HARDWARE | PA_SOURCE_LATENCY;
    pa_source_new_data data;
    char *name = sim_device_name(device);
    pa_source *source;

    if (!sim_device_fixed_latency(device))
        flags |= PA_SOURCE_DYNAMIC_LATENCY;
    pa_source_new_data_init(&data);
    data.driver = __FILE__;
    data.module = device->card->module;
    data.card = device->card->card;
    pa_source_new_data_set_name(&data, name);
    pa_source_new_data_set_sample_spec(&data, &spec);
    pa_source_new_data_set_channel_map(&data, &device->mapping->map);
    if (device->card->n_rates > 1)
        pa_source_new_data_set_alternate_sample_rate(&data, device->card->rates[1]);
    sim_device_describe(device, data.proplist);
    sim_device_add_ports(device, data.ports);
    source = pa_source_new(device->card->core, &data, flags);
    pa_source_new_data_done(&data);
    pa_xfree(name);
    return source;
}

bool sim_source_create(sim_device *device) {
    pa_source *source = device->source = create(device);

    if (!source)
        return false;
    make_wave(device);
    if (device->card->dead_sources > 0 && --device->card->dead_sources > 0)
        device->stalled_until = pa_rtclock_now() + SIM_STALLED_FOR_EVER;
    source->userdata = device;
    source->parent.process_msg = process_message;
    source->set_state_in_io_thread = set_state;
    source->set_port = set_port;
    if (device->card->volume_steps) {
        pa_source_set_set_volume_callback(source, set_volume);
        source->n_volume_steps = device->card->volume_steps;
    }
    if (device->card->n_rates > 1 && !device->card->kind->bluetooth)
        source->reconfigure = reconfigure;
    pa_source_set_asyncmsgq(source, device->mq.inq);
    pa_source_set_rtpoll(source, device->rtpoll);
    if (sim_device_fixed_latency(device)) {
        pa_source_set_fixed_latency(source, sim_device_fixed_latency(device));
    } else {
        source->update_requested_latency = update_requested_latency;
        pa_source_set_latency_range(source, device->card->min_latency, device->card->max_latency);
    }
    return true;
}
