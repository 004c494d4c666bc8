/* A sink that plays in real time into nothing. Its write position (the clock) runs ahead of now
 * by at most the latency that the streams ask for, like the buffer of real hardware. */

#include <pulse/rtclock.h>
#include <pulse/util.h>
#include <pulse/xmalloc.h>
#include <pulsecore/log.h>

#include "simulated-card.h"

static uint32_t rate_of(const sim_device *device) {
    return device->sink->sample_spec.rate;
}

/* Called from the device's thread. */
static int process_message(
    pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk) {
    sim_device *device = PA_SINK(object)->userdata;

    if (code == SIM_SINK_MESSAGE_STALL) {
        device->stalled_until = pa_rtclock_now() + (pa_usec_t) offset;
        return 0;
    }
    if (code == PA_SINK_MESSAGE_GET_LATENCY) {
        *(int64_t *) data = (int64_t) sim_clock_time(&device->clock, rate_of(device))
            - (int64_t) pa_rtclock_now();
        return 0;
    }
    return pa_sink_process_msg(object, code, data, offset, chunk);
}

/* Streams keep as much history as the whole buffer: after the latency was lowered, everything
 * that was rendered ahead can still be taken back. Called from the device's thread. */
static void announce_sizes(sim_device *device) {
    const pa_sample_spec *spec = &device->sink->sample_spec;
    pa_usec_t buffer = sim_device_fixed_latency(device) ? 0 : SIM_MAX_LATENCY;

    pa_sink_set_max_rewind_within_thread(device->sink, pa_usec_to_bytes(buffer, spec));
    pa_sink_set_max_request_within_thread(device->sink, pa_usec_to_bytes(device->block, spec));
}

/* Called from the device's thread. */
static int set_state(pa_sink *sink, pa_sink_state_t state, pa_suspend_cause_t cause) {
    sim_device *device = sink->userdata;

    if (!PA_SINK_IS_OPENED(sink->thread_info.state) && PA_SINK_IS_OPENED(state)) {
        sim_clock_start(&device->clock, pa_rtclock_now());
        announce_sizes(device); /* in bytes, and the rate may have changed meanwhile */
    }
    return 0;
}

/* Called from the device's thread. */
static void update_requested_latency(pa_sink *sink) {
    sim_device *device = sink->userdata;
    pa_usec_t before = device->block;

    device->block = pa_sink_get_requested_latency_within_thread(sink);
    if (device->block == (pa_usec_t) -1)
        device->block = sink->thread_info.max_latency;
    announce_sizes(device);
    /* What was rendered further ahead than is now wanted is taken back. */
    if (device->block < before)
        pa_sink_request_rewind(sink, (size_t) -1);
}

/* Called from the main thread while the sink is suspended. */
static void reconfigure(pa_sink *sink, pa_sample_spec *spec, bool passthrough) {
    if (!passthrough && sim_device_has_rate(sink->userdata, spec->rate))
        sink->sample_spec.rate = spec->rate;
}

/* Nothing in software makes up for the difference, as in module-alsa-card. */
static void set_volume(pa_sink *sink) {
    sim_device_nearest_volume(sink->userdata, &sink->real_volume);
}

static int set_port(pa_sink *sink, pa_device_port *port) {
    pa_log_debug("%s: port %s", sink->name, port->name);
    return 0;
}

static void rewind_buffer(sim_device *device, pa_usec_t now) {
    size_t frame = pa_frame_size(&device->sink->sample_spec);
    size_t wanted = device->sink->thread_info.rewind_nbytes;
    int64_t ahead = -sim_clock_frames_until(&device->clock, now, rate_of(device));

    if (!PA_SINK_IS_OPENED(device->sink->thread_info.state) || ahead < 0)
        ahead = 0;
    wanted = PA_MIN(wanted, (size_t) ahead * frame);
    device->clock.frames -= (int64_t) (wanted / frame);
    pa_sink_process_rewind(device->sink, wanted);
}

static void render(sim_device *device, pa_usec_t now) {
    size_t frame = pa_frame_size(&device->sink->sample_spec);
    int64_t missing;

    /* Late: what should have been heard meanwhile is lost, as in an underrun. */
    if (sim_clock_frames_until(&device->clock, now, rate_of(device)) > 0)
        sim_clock_start(&device->clock, now);

    while ((missing = sim_clock_frames_until(&device->clock, now + device->block,
                                             rate_of(device))) > 0) {
        pa_memchunk chunk;
        size_t request = PA_MIN((size_t) missing * frame, device->sink->thread_info.max_request);

        if (request < frame)
            break;
        pa_sink_render(device->sink, request, &chunk);
        pa_memblock_unref(chunk.memblock);
        device->clock.frames += (int64_t) (chunk.length / frame);
    }
}

/* The buffer is filled up again shortly before it runs empty; that of a batch device when a period is
 * free. */
static pa_usec_t margin(const sim_device *device) {
    if (device->card->period)
        return device->block - PA_MIN(device->block, device->card->period);
    return PA_MIN(device->block / 2, 20 * PA_USEC_PER_MSEC);
}

static void play(sim_device *device) {
    pa_usec_t now = pa_rtclock_now(), refill;

    if (device->sink->thread_info.rewind_requested)
        rewind_buffer(device, now);
    if (!PA_SINK_IS_OPENED(device->sink->thread_info.state)) {
        pa_rtpoll_set_timer_disabled(device->rtpoll);
        return;
    }
    if (device->stalled_until > now) {
        pa_rtpoll_set_timer_absolute(device->rtpoll, device->stalled_until);
        return;
    }
    if (sim_clock_time(&device->clock, rate_of(device)) <= now + margin(device))
        render(device, now);
    refill = sim_clock_time(&device->clock, rate_of(device)) - margin(device);
    pa_rtpoll_set_timer_absolute(device->rtpoll, refill);
}

void sim_sink_thread(void *userdata) {
    sim_device *device = userdata;
    int result;

    if (device->card->core->realtime_scheduling)
        pa_thread_make_realtime(device->card->core->realtime_priority);
    pa_thread_mq_install(&device->mq);
    sim_clock_start(&device->clock, pa_rtclock_now());

    do
        play(device);
    while ((result = pa_rtpoll_run(device->rtpoll)) > 0);

    if (result < 0) { /* not asked to end: ask to be unloaded, and serve until then */
        pa_asyncmsgq_post(device->mq.outq, PA_MSGOBJECT(device->card->core),
                          PA_CORE_MESSAGE_UNLOAD_MODULE, device->card->module, 0, NULL, NULL);
        pa_asyncmsgq_wait_for(device->mq.inq, PA_MESSAGE_SHUTDOWN);
    }
}

static pa_sink *create(sim_device *device) {
    pa_sample_spec spec = { .format = PA_SAMPLE_S16NE, .rate = sim_device_first_rate(device),
                            .channels = device->mapping->map.channels };
    pa_sink_flags_t flags = PA_SINK_HARDWARE | PA_SINK_LATENCY;
    pa_sink_new_data data;
    char *name = sim_device_name(device);
    pa_sink *sink;

    if (!sim_device_fixed_latency(device))
        flags |= PA_SINK_DYNAMIC_LATENCY;
    pa_sink_new_data_init(&data);
    data.driver = __FILE__;
    data.module = device->card->module;
    data.card = device->card->card;
    pa_sink_new_data_set_name(&data, name);
    pa_sink_new_data_set_sample_spec(&data, &spec);
    pa_sink_new_data_set_channel_map(&data, &device->mapping->map);
    if (device->card->n_rates > 1)
        pa_sink_new_data_set_alternate_sample_rate(&data, device->card->rates[1]);
    sim_device_describe(device, data.proplist);
    sim_device_add_ports(device, data.ports);
    sink = pa_sink_new(device->card->core, &data, flags);
    pa_sink_new_data_done(&data);
    pa_xfree(name);
    return sink;
}

bool sim_sink_create(sim_device *device) {
    pa_sink *sink = device->sink = create(device);

    if (!sink)
        return false;
    if (device->card->dead_sinks > 0 && --device->card->dead_sinks > 0)
        device->stalled_until = pa_rtclock_now() + SIM_STALLED_FOR_EVER;
    sink->userdata = device;
    sink->parent.process_msg = process_message;
    sink->set_state_in_io_thread = set_state;
    sink->set_port = set_port;
    if (device->card->volume_steps) {
        pa_sink_set_set_volume_callback(sink, set_volume);
        sink->n_volume_steps = device->card->volume_steps;
    }
    if (device->card->n_rates > 1 && !device->card->kind->bluetooth)
        sink->reconfigure = reconfigure;
    pa_sink_set_asyncmsgq(sink, device->mq.inq);
    pa_sink_set_rtpoll(sink, device->rtpoll);
    pa_sink_set_max_request(sink, pa_usec_to_bytes(device->block, &sink->sample_spec));
    if (sim_device_fixed_latency(device)) {
        pa_sink_set_fixed_latency(sink, sim_device_fixed_latency(device));
    } else {
        sink->update_requested_latency = update_requested_latency;
        pa_sink_set_max_rewind(sink, pa_usec_to_bytes(SIM_MAX_LATENCY, &sink->sample_spec));
        pa_sink_set_latency_range(sink, device->card->min_latency, device->card->max_latency);
    }
    return true;
}
