/* The kinds of cards, with the names and priorities that ALSA and BlueZ give to such hardware. */

#include <string.h>

#include "card-kinds.h"

#define MONO { .channels = 1, .map = { PA_CHANNEL_POSITION_MONO } }
#define STEREO { .channels = 2, .map = { PA_CHANNEL_POSITION_LEFT, PA_CHANNEL_POSITION_RIGHT } }
#define QUAD { .channels = 4, .map = { \
    PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, \
    PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT } }
/* Raw channels have no place in the room. */
#define RAW_STEREO { .channels = 2, .map = { PA_CHANNEL_POSITION_AUX0, PA_CHANNEL_POSITION_AUX1 } }

#define OUTPUT .direction = PA_DIRECTION_OUTPUT
#define INPUT .direction = PA_DIRECTION_INPUT
#define PORT(key, text, side, kind, plugged, weight) \
    { .name = key, .description = text, side, .type = PA_DEVICE_PORT_TYPE_##kind, \
      .available = SIM_AVAILABLE_##plugged, .priority = weight }
#define OFF { .name = "off", .description = "Off", .priority = 0 }
#define END { .name = NULL }

/* ---- laptop ---- */

static const sim_port internal_mic =
    PORT("analog-input-internal-mic", "Internal Microphone", INPUT, MIC, UNKNOWN, 8900);
static const sim_port headset_mic =
    PORT("analog-input-headset-mic", "Headset Microphone", INPUT, HEADSET, NO, 8800);
static const sim_port line_in = PORT("analog-input-linein", "Line In", INPUT, LINE, NO, 8100);
static const sim_port speaker =
    PORT("analog-output-speaker", "Speakers", OUTPUT, SPEAKER, UNKNOWN, 10000);
static const sim_port headphones =
    PORT("analog-output-headphones", "Headphones", OUTPUT, HEADPHONES, NO, 9900);
static const sim_port hdmi_port =
    PORT("hdmi-output-0", "HDMI / DisplayPort", OUTPUT, HDMI, NO, 5900);

static const sim_mapping laptop_output = {
    .name = "analog-stereo", .description = "Analog Stereo", OUTPUT, .map = STEREO,
    .ports = { &speaker, &headphones } };
static const sim_mapping laptop_input = {
    .name = "analog-stereo", .description = "Analog Stereo", INPUT, .map = STEREO,
    .ports = { &internal_mic, &headset_mic, &line_in } };
static const sim_mapping hdmi_output = {
    .name = "hdmi-stereo", .description = "Digital Stereo (HDMI)", OUTPUT, .map = STEREO,
    .ports = { &hdmi_port } };
static const sim_mapping pro_output = {
    .name = "pro-output-0", .description = "Pro", OUTPUT, .map = RAW_STEREO };
static const sim_mapping pro_input = {
    .name = "pro-input-0", .description = "Pro", INPUT, .map = RAW_STEREO };

static const sim_profile laptop_profiles[] = {
    { "output:analog-stereo+input:analog-stereo", "Analog Stereo Duplex", 6565,
      &laptop_output, &laptop_input, "output:analog-stereo", "input:analog-stereo" },
    { "output:analog-stereo", "Analog Stereo Output", 6500,
      &laptop_output, NULL, "output:analog-stereo", NULL },
    { "output:hdmi-stereo+input:analog-stereo",
      "Digital Stereo (HDMI) Output + Analog Stereo Input", 5965,
      &hdmi_output, &laptop_input, "output:hdmi-stereo", "input:analog-stereo" },
    { "output:hdmi-stereo", "Digital Stereo (HDMI) Output", 5900,
      &hdmi_output, NULL, "output:hdmi-stereo", NULL },
    { "input:analog-stereo", "Analog Stereo Input", 65,
      NULL, &laptop_input, NULL, "input:analog-stereo" },
    { "pro-audio", "Pro Audio", 1, &pro_output, &pro_input, NULL, NULL },
    OFF, END };

static const sim_property laptop_properties[] = {
    { "device.api", "alsa" }, { "device.class", "sound" }, { "device.bus", "pci" },
    { "device.form_factor", "internal" }, { "device.description", "Built-in Audio" },
    { "device.string", "0" }, { "device.bus_path", "pci-0000:00:1f.3" },
    { "device.vendor.name", "Example Corporation" },
    { "device.product.name", "Example Laptop Audio Controller" },
    { "alsa.card", "0" }, { "alsa.card_name", "Example PCH" }, { NULL, NULL } };

/* ---- usb-mic ---- */

static const sim_port usb_mic =
    PORT("analog-input-mic", "Microphone", INPUT, MIC, UNKNOWN, 8700);

static const sim_mapping mic_mono = {
    .name = "mono-fallback", .description = "Mono", INPUT, .map = MONO, .ports = { &usb_mic } };
static const sim_mapping mic_stereo = {
    .name = "analog-stereo", .description = "Analog Stereo", INPUT, .map = STEREO,
    .ports = { &usb_mic } };
static const sim_mapping mic_quad = {
    .name = "analog-surround-40", .description = "Analog Surround 4.0", INPUT, .map = QUAD,
    .ports = { &usb_mic } };

static const sim_profile mic_mono_profiles[] = {
    { "input:mono-fallback", "Mono Input", 65, NULL, &mic_mono, NULL, "input:mono-fallback" },
    OFF, END };
static const sim_profile mic_stereo_profiles[] = {
    { "input:analog-stereo", "Analog Stereo Input", 65,
      NULL, &mic_stereo, NULL, "input:analog-stereo" },
    OFF, END };
static const sim_profile mic_quad_profiles[] = {
    { "input:analog-surround-40", "Analog Surround 4.0 Input", 65,
      NULL, &mic_quad, NULL, "input:analog-surround-40" },
    OFF, END };

static const sim_property mic_properties[] = {
    { "device.api", "alsa" }, { "device.class", "sound" }, { "device.bus", "usb" },
    { "device.form_factor", "microphone" }, { "device.description", "Example USB Microphone" },
    { "device.string", "1" }, { "device.bus_path", "pci-0000:00:14.0-usb-0:1:1.0" },
    { "device.vendor.name", "Example Corporation" }, { "device.vendor.id", "1209" },
    { "device.product.name", "Example USB Microphone" }, { "device.product.id", "0001" },
    { "device.serial", "Example_USB_Microphone_0001" },
    { "alsa.card", "1" }, { "alsa.card_name", "Example USB Microphone" }, { NULL, NULL } };

/* ---- usb-headset ---- */

static const sim_port usb_headphones =
    PORT("analog-output", "Analog Output", OUTPUT, HEADPHONES, UNKNOWN, 9900);
static const sim_port usb_headset_mic =
    PORT("analog-input-mic", "Microphone", INPUT, HEADSET, UNKNOWN, 8700);

static const sim_mapping headset_output = {
    .name = "analog-stereo", .description = "Analog Stereo", OUTPUT, .map = STEREO,
    .ports = { &usb_headphones } };
static const sim_mapping headset_input = {
    .name = "mono-fallback", .description = "Mono", INPUT, .map = MONO,
    .ports = { &usb_headset_mic } };

static const sim_profile headset_profiles[] = {
    { "output:analog-stereo+input:mono-fallback", "Analog Stereo Output + Mono Input", 6501,
      &headset_output, &headset_input, "output:analog-stereo", "input:mono-fallback" },
    { "output:analog-stereo", "Analog Stereo Output", 6500,
      &headset_output, NULL, "output:analog-stereo", NULL },
    { "input:mono-fallback", "Mono Input", 1, NULL, &headset_input, NULL, "input:mono-fallback" },
    OFF, END };

static const sim_property headset_properties[] = {
    { "device.api", "alsa" }, { "device.class", "sound" }, { "device.bus", "usb" },
    { "device.form_factor", "headset" }, { "device.description", "Example USB Headset" },
    { "device.string", "2" }, { "device.bus_path", "pci-0000:00:14.0-usb-0:2:1.0" },
    { "device.vendor.name", "Example Corporation" }, { "device.vendor.id", "1209" },
    { "device.product.name", "Example USB Headset" }, { "device.product.id", "0002" },
    { "device.serial", "Example_USB_Headset_0001" },
    { "alsa.card", "2" }, { "alsa.card_name", "Example USB Headset" }, { NULL, NULL } };

/* ---- bluetooth: the radio link decides rate and latency, not the streams ---- */

static const sim_port bluez_output =
    PORT("headset-output", "Headset", OUTPUT, HEADSET, UNKNOWN, 0);
static const sim_port bluez_input =
    PORT("headset-input", "Headset", INPUT, HEADSET, UNKNOWN, 0);

static const sim_mapping a2dp_output = {
    .name = "a2dp_sink", .description = "High Fidelity Playback (A2DP Sink)", OUTPUT,
    .map = STEREO, .fixed_latency = 40 * PA_USEC_PER_MSEC, .ports = { &bluez_output } };
static const sim_mapping call_output = {
    .name = "headset_head_unit", .description = "Headset Head Unit (HSP/HFP)", OUTPUT,
    .map = MONO, .fixed_rate = 16000, .fixed_latency = 30 * PA_USEC_PER_MSEC,
    .ports = { &bluez_output } };
static const sim_mapping call_input = {
    .name = "headset_head_unit", .description = "Headset Head Unit (HSP/HFP)", INPUT,
    .map = MONO, .fixed_rate = 16000, .fixed_latency = 30 * PA_USEC_PER_MSEC,
    .ports = { &bluez_input } };

static const sim_profile bluez_profiles[] = {
    { "a2dp_sink", "High Fidelity Playback (A2DP Sink)", 40, &a2dp_output, NULL, NULL, NULL },
    { "headset_head_unit", "Headset Head Unit (HSP/HFP)", 30,
      &call_output, &call_input, NULL, NULL },
    OFF, END };

static const sim_property bluez_properties[] = {
    { "device.api", "bluez" }, { "device.class", "sound" }, { "device.bus", "bluetooth" },
    { "device.form_factor", "headset" }, { "device.description", "Example Bluetooth Headset" },
    { "device.string", "00:11:22:33:44:55" }, { "device.vendor.name", "Example Corporation" },
    { "device.product.name", "Example Bluetooth Headset" },
    { "bluez.alias", "Example Bluetooth Headset" },
    { "bluez.path", "/org/bluez/hci0/dev_00_11_22_33_44_55" }, { "bluez.class", "0x240404" },
    { NULL, NULL } };

static const sim_codec music_codecs[] = {
    { "sbc", "SBC", 1 }, { "sbc_xq_453", "SBC XQ 453kbps", 2 }, { "aptx", "aptX", 5 } };
static const sim_codec call_codecs[] = { { "CVSD", "CVSD", 0x100 }, { "mSBC", "mSBC", 0x101 } };

const sim_codec *sim_codecs_of(const char *profile, uint32_t *count) {
    bool is_music = strcmp(profile, "a2dp_sink") == 0;

    *count = strcmp(profile, "off") == 0 ? 0 : is_music ? 3 : 2;
    return is_music ? music_codecs : call_codecs;
}

/* ---- hdmi ---- */

static const sim_profile hdmi_profiles[] = {
    { "output:hdmi-stereo", "Digital Stereo (HDMI) Output", 5900,
      &hdmi_output, NULL, "output:hdmi-stereo", NULL },
    OFF, END };

static const sim_property hdmi_properties[] = {
    { "device.api", "alsa" }, { "device.class", "sound" }, { "device.bus", "pci" },
    { "device.description", "Example HDMI Audio" }, { "device.string", "3" },
    { "device.bus_path", "pci-0000:01:00.1" }, { "device.vendor.name", "Example Corporation" },
    { "device.product.name", "Example Graphics Audio Controller" },
    { "alsa.card", "3" }, { "alsa.card_name", "Example HDMI" }, { NULL, NULL } };

static const sim_kind kinds[] = {
    { "laptop", 0, "pci-0000_00_1f.3", false, laptop_properties, laptop_profiles },
    { "usb-mic", 1, "usb-Example_USB_Microphone-00", false, mic_properties, mic_mono_profiles },
    { "usb-mic", 2, "usb-Example_USB_Microphone-00", false, mic_properties, mic_stereo_profiles },
    { "usb-mic", 4, "usb-Example_USB_Microphone-00", false, mic_properties, mic_quad_profiles },
    { "usb-headset", 0, "usb-Example_USB_Headset-00", false, headset_properties,
      headset_profiles },
    { "bluetooth", 0, "00_11_22_33_44_55", true, bluez_properties, bluez_profiles },
    { "hdmi", 0, "pci-0000_01_00.1", false, hdmi_properties, hdmi_profiles },
};

const sim_kind *sim_kind_find(const char *name, unsigned channels) {
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0
            && (kinds[i].channels == 0 || kinds[i].channels == channels))
            return &kinds[i];
    return NULL;
}
