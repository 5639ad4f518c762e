/* Media block messages: rectangles of bytes of a 2D image. The header gives the left edge in bytes,
 * the top row and the size; rows lie in the registers one after the other, each in 4, 8, 16 or 32
 * bytes. The execution mask doesn't count. Source: Intel PRM volume 4/7, "Media Block Read/Write".
 */
#include "image.h"

#include "gen/cmd.h"

enum { MAX_WIDTH = 32, MAX_BYTES = 8 * EU_GRF_SIZE };

struct block {
    struct eu_thread *t;
    const struct msg *m;
    struct image_view view;
    int32_t x, y; /* bytes, rows; of the left upper corner */
    unsigned width, height, pitch;
};

static bool is_write(unsigned kind)
{
    return kind == MSG_media_write || kind == MSG_media_write_render;
}

static bool check_block(const struct block *b)
{
    unsigned regs = (b->pitch * b->height + EU_GRF_SIZE - 1) / EU_GRF_SIZE;
    unsigned sent = is_write(b->m->kind) ? b->m->mlen + b->m->ex_mlen - 1u : b->m->rlen;
    if (b->width > MAX_WIDTH)
        return msg_fault(b->t, b->m, "a block of %u bytes a row: at most %u", b->width, MAX_WIDTH);
    if (b->pitch * b->height > MAX_BYTES)
        return msg_fault(b->t, b->m, "a block of %u rows of %u bytes is more than 8 registers",
                         b->height, b->pitch);
    return sent == regs ||
           msg_fault(b->t, b->m, "%u registers for a block of %u rows of %u bytes: %u", sent,
                     b->height, b->width, regs);
}

/* Where byte x of a row lies; x counts from the image's left edge. */
static uint64_t byte_offset(const struct image *i, uint32_t x, uint32_t y)
{
    const int32_t at[3] = {x / i->format->bytes, y, 0};
    return image_offset(i, at, 0) + x % i->format->bytes;
}

/* Bytes of a row from x on that are neighbours in memory: as far as a tile's columns reach. */
static unsigned run(const struct image *i, uint32_t x, unsigned n)
{
    unsigned unit = i->tiling == TILING_Y ? 16 : i->tiling == TILING_X ? 512 : MAX_WIDTH;
    unsigned left =
        i->tiling == TILING_LINEAR ? n : unit - (x + i->x_offset * i->format->bytes) % unit;
    return n < left ? n : left;
}

/* Left and right of the image its last texel is repeated, above and below its last row. */
static bool read_row(struct block *b, int32_t y, uint32_t width, uint32_t height, uint8_t *to)
{
    const struct image *i = b->view.image;
    int32_t bytes = i->format->bytes, end = width * bytes;
    y = y < 0 ? 0 : y < (int32_t)height ? y : (int32_t)height - 1;
    for (int32_t k = 0, n; k < (int32_t)b->width; k += n) {
        int64_t x = (int64_t)b->x + k;
        if (x < 0 || x >= end) {
            int32_t part = (int32_t)((x % bytes + bytes) % bytes);
            x = (x < 0 ? 0 : end - bytes) + part;
            n = 1;
        } else {
            n = run(i, x, b->width - k);
            n = n < end - x ? n : end - x;
        }
        if (!view_read(&b->view.view, byte_offset(i, x, y), to + k, n, -1))
            return false;
    }
    return true;
}

/* What lies outside is dropped. */
static bool write_row(struct block *b, int32_t y, uint32_t width, uint32_t height,
                      const uint8_t *from)
{
    const struct image *i = b->view.image;
    int64_t end = (int64_t)width * i->format->bytes;
    if (y < 0 || y >= (int32_t)height)
        return true;
    for (int64_t k = b->x < 0 ? -(int64_t)b->x : 0, n; k < b->width && b->x + k < end; k += n) {
        uint32_t x = b->x + k;
        n = run(i, x, b->width - k);
        n = n < end - x ? n : end - x;
        if (!view_write(&b->view.view, byte_offset(i, x, y), from + k, n, -1))
            return false;
    }
    return true;
}

bool msg_media(struct eu_thread *t, const struct msg *m, uint32_t exdesc, const uint8_t *payload,
               uint8_t *resp)
{
    uint32_t size[3], extent = msg_dword(payload, 2);
    bool write = is_write(m->kind);
    struct block b = {.t = t,
                      .m = m,
                      .x = msg_dword(payload, 0),
                      .y = msg_dword(payload, 1),
                      .width = (extent & 0x3f) + 1,
                      .height = (extent >> 16 & 0x3f) + 1,
                      .pitch = 4};
    const struct image *i = image_get(t, m, exdesc);
    if (!i)
        return false;
    while (b.pitch < b.width)
        b.pitch *= 2;
    if (!check_block(&b))
        return false;
    if (i->type == CMD_SURFACE_NULL) {
        if (!write)
            memset(resp, 0, m->rlen * EU_GRF_SIZE);
        return true;
    }
    if (i->type != CMD_SURFACE_2D)
        return msg_fault(t, m, "surface %u isn't two-dimensional", m->bti);
    image_view_open(&b.view, t, m, i, write);
    image_size(i, 0, size);
    for (unsigned r = 0; r < b.height; r++) {
        unsigned at = r * b.pitch;
        if (write ? !write_row(&b, b.y + r, size[0], size[1], payload + EU_GRF_SIZE + at)
                  : !read_row(&b, b.y + r, size[0], size[1], resp + at))
            return false;
    }
    return true;
}
