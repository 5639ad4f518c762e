/* Small helpers over LLVM's C API: names, places, types, primitives. */
#include "backend/llvmx.h"

#include "backend/cc.h"
#include "backend/front.h"

#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

static void fatal_error(const char *reason)
{
    bug("LLVM: %s", reason);
}

void llvm_setup(void)
{
    /* wide integers from loop exit values, vectorisers that no option of the C API stops, tables in
     * a space that OpenCL doesn't have, loops made into memcpy of a length only known at run time.
     * A round of a loop costs copies and a branch that stalls: more are worth unrolling than on
     * processors. The end of each of a vector's sixteen computations, moved to where the vector is
     * put together, keeps alive what all of them need. */
    static const char *const args[] = {"beignet-cc",
                                       "-replexitval=never",
                                       "-vectorize-slp=false",
                                       "-vectorize-loops=false",
                                       "-switch-to-lookup=false",
                                       "-disable-loop-idiom-all",
                                       "-unroll-threshold=300",
                                       "-instcombine-code-sinking=false"};
    LLVMInstallFatalErrorHandler(fatal_error);
    LLVMParseCommandLineOptions(sizeof(args) / sizeof(args[0]), args, NULL);
    cc_place = llvmx_place;
    front_setup();
}

static void take_diagnostic(LLVMDiagnosticInfoRef info, void *log)
{
    char *text = LLVMGetDiagInfoDescription(info);
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        cc_error(log, NULL, "%s", text);
    LLVMDisposeMessage(text);
}

void llvm_log_to(LLVMContextRef ctx, struct cc_log *log)
{
    LLVMContextSetDiagnosticHandler(ctx, take_diagnostic, log);
}

const char *llvmx_place(LLVMValueRef v)
{
    unsigned n = 0;
    const char *file = NULL;
    unsigned line = 0;

    if (LLVMIsAInstruction(v) && LLVMInstructionGetDebugLoc(v)) {
        file = LLVMGetDebugLocFilename(v, &n);
        line = LLVMGetDebugLocLine(v);
    } else if (LLVMIsAFunction(v) && LLVMGetSubprogram(v)) {
        LLVMMetadataRef sp = LLVMGetSubprogram(v);
        file = LLVMDIFileGetFilename(LLVMDIScopeGetFile(sp), &n);
        line = LLVMDISubprogramGetLine(sp);
    } else if (LLVMIsAInstruction(v)) {
        return llvmx_place(LLVMGetBasicBlockParent(LLVMGetInstructionParent(v)));
    }
    return file && line ? cc_printf("%.*s:%u", (int)n, file, line) : NULL;
}

const char *llvmx_name(LLVMValueRef v)
{
    size_t n;
    return LLVMGetValueName2(v, &n);
}

const char *llvmx_source_name(LLVMValueRef v)
{
    const char *name = llvmx_name(v);
    char *end;

    if (strncmp(name, "_Z", 2))
        return name;
    unsigned long n = strtoul(name + 2, &end, 10);
    return n && n <= strlen(end) ? cc_printf("%.*s", (int)n, end) : name;
}

bool llvmx_is_kernel(LLVMValueRef fn)
{
    return LLVMGetFunctionCallConv(fn) == LLVMX_CC_KERNEL && !LLVMIsDeclaration(fn);
}

bool llvmx_is_intrinsic(LLVMValueRef fn)
{
    return LLVMGetIntrinsicID(fn) != 0;
}

LLVMValueRef llvmx_callee(LLVMValueRef call)
{
    LLVMValueRef fn = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(fn) || LLVMGlobalGetValueType(fn) != LLVMGetCalledFunctionType(call))
        return NULL;
    return fn;
}

/* Clang's parameters of spirv.Image: dimension, depth, arrayed, multisampled, sampled, format,
 * access. */
enum { IMAGE_DIM, IMAGE_DEPTH, IMAGE_ARRAYED, IMAGE_MS, IMAGE_SAMPLED, IMAGE_FORMAT, IMAGE_ACCESS };

static bool is_target_type(LLVMTypeRef t, const char *name)
{
    return LLVMGetTypeKind(t) == LLVMTargetExtTypeKind &&
           !strcmp(LLVMGetTargetExtTypeName(t), name);
}

enum kbin_image llvmx_image_type(LLVMTypeRef t)
{
    static const uint8_t types[6][2] = {{KBIN_IMAGE_1D, KBIN_IMAGE_1D_ARRAY},
                                        {KBIN_IMAGE_2D, KBIN_IMAGE_2D_ARRAY},
                                        {KBIN_IMAGE_3D, KBIN_IMAGE_NONE},
                                        [5] = {KBIN_IMAGE_1D_BUFFER, KBIN_IMAGE_NONE}};
    if (!is_target_type(t, "spirv.Image"))
        return KBIN_IMAGE_NONE;
    unsigned dim = LLVMGetTargetExtTypeIntParam(t, IMAGE_DIM);
    unsigned arrayed = LLVMGetTargetExtTypeIntParam(t, IMAGE_ARRAYED);
    if (dim > 5 || arrayed > 1 || LLVMGetTargetExtTypeIntParam(t, IMAGE_MS))
        return KBIN_IMAGE_NONE;
    if (LLVMGetTargetExtTypeIntParam(t, IMAGE_DEPTH))
        return types[dim][0] != KBIN_IMAGE_2D ? KBIN_IMAGE_NONE
               : arrayed                      ? KBIN_IMAGE_2D_ARRAY_DEPTH
                                              : KBIN_IMAGE_2D_DEPTH;
    return types[dim][arrayed];
}

enum kbin_access llvmx_image_access(LLVMTypeRef t)
{
    static const uint8_t access[] = {KBIN_ACCESS_READ, KBIN_ACCESS_WRITE, KBIN_ACCESS_READ_WRITE};
    unsigned a = LLVMGetTargetExtTypeIntParam(t, IMAGE_ACCESS);
    return a < sizeof access ? access[a] : KBIN_ACCESS_READ_WRITE;
}

bool llvmx_is_sampler(LLVMTypeRef t)
{
    return is_target_type(t, "spirv.Sampler");
}

static const char *target_type_name(LLVMTypeRef t)
{
    const char *name = LLVMGetTargetExtTypeName(t);

    if (!strcmp(name, "spirv.Event")) /* async copies: goes away when they are inlined */
        return NULL;
    if (!strcmp(name, "spirv.Image"))
        return llvmx_image_type(t) ? NULL : "multisample image";
    if (!strcmp(name, "spirv.Sampler"))
        return NULL;
    if (!strcmp(name, "spirv.Pipe") || !strcmp(name, "spirv.ReserveId"))
        return "pipe";
    if (!strcmp(name, "spirv.Queue") || !strcmp(name, "spirv.DeviceEvent"))
        return "queue";
    return name;
}

const char *llvmx_refused_type(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMTargetExtTypeKind:
        return target_type_name(t);
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t) > 64 ? cc_printf("%u-bit integer", LLVMGetIntTypeWidth(t))
                                           : NULL;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return llvmx_refused_type(LLVMGetElementType(t));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++) {
            const char *what = llvmx_refused_type(LLVMStructGetTypeAtIndex(t, i));
            if (what)
                return what;
        }
        return NULL;
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind:
    case LLVMBFloatTypeKind:
        return "floating-point type";
    case LLVMScalableVectorTypeKind:
        return "scalable vector";
    default: /* LLVM's enum, not ours: what is left is plain */
        return NULL;
    }
}

bool llvmx_is_declared(LLVMValueRef fn, const char *name)
{
    return LLVMIsDeclaration(fn) && !strcmp(llvmx_name(fn), name);
}

unsigned llvmx_attr_kind(const char *name)
{
    unsigned k = LLVMGetEnumAttributeKindForName(name, strlen(name));
    if (!k)
        bug("LLVM has no attribute %s", name);
    return k;
}

unsigned llvmx_param_align(LLVMValueRef call, unsigned arg)
{
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg + 1, llvmx_attr_kind("align"));
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

LLVMValueRef llvmx_primitive(LLVMModuleRef m, const char *name, LLVMTypeRef type, bool pure)
{
    LLVMValueRef fn = LLVMGetNamedFunction(m, name);
    if (!fn) {
        LLVMContextRef ctx = LLVMGetModuleContext(m);
        fn = LLVMAddFunction(m, name, type);
        LLVMSetFunctionCallConv(fn, LLVMX_CC_FUNCTION);
        static const char *const pure_attrs[] = {"nounwind", "willreturn", "nosync", "nofree",
                                                 "nocallback"};
        for (unsigned i = 0; pure && i < 5; i++) {
            LLVMAddAttributeAtIndex(
                fn, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(ctx, llvmx_attr_kind(pure_attrs[i]), 0));
        }
        if (pure) /* memory(none) */
            LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(ctx, llvmx_attr_kind("memory"), 0));
    }
    return fn;
}

LLVMValueRef llvmx_call(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef *args, unsigned n)
{
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, n, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(fn));
    return call;
}

void llvmx_run(LLVMModuleRef m, const char *pipeline)
{
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(m, pipeline, NULL, o);
    LLVMDisposePassBuilderOptions(o);
    if (e)
        bug("LLVM refuses '%s': %s", pipeline, LLVMGetErrorMessage(e));
}
