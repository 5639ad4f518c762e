// The front end: Clang as a library, and LLVM's functions that have no C name. The one C++ file.
// Clang's own header and ours live in memory under a made-up root, so nothing of an LLVM
// installation is needed at run time; the user's -I directories and the working directory are the
// real ones.
#include "backend/front.h"
#include "backend/libdata.h"

#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <new>

using namespace clang;

namespace
{

// Where the in-memory files are. Headers of clCompileProgram lie beside the source.
const char system_dir[] = "/beignet/include";
const char source_dir[] = "/beignet/source";

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_files(const front_source *src)
{
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto add = [&](const std::string &path, const char *text, size_t size) {
        memory->addFile(path, 0,
                        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text, size), path));
    };
    const struct lib_file *f;
    for (unsigned i = 0; (f = lib_header_at(i)); i++)
        add(std::string(system_dir) + "/" + f->name, f->data, (size_t)(f->end - f->data));
    add(std::string(system_dir) + "/features.h", src->features->header,
        strlen(src->features->header));
    for (size_t i = 0; i < src->n_headers; i++) {
        const cc_blob *h = &src->headers[i];
        add(std::string(source_dir) + "/" + h->name, (const char *)h->data, h->size);
    }
    auto files =
        llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    files->pushOverlay(memory);
    return files;
}

// Diagnostics as text in `stream`; the options must outlive them.
void make_diagnostics(CompilerInstance &ci, llvm::vfs::FileSystem &files, llvm::raw_ostream &stream,
                      DiagnosticOptions &options)
{
#if CLANG_VERSION_MAJOR >= 21
    auto *printer = new TextDiagnosticPrinter(stream, options);
#else
    options.Retain(); // counted, but not ours to delete
    auto *printer = new TextDiagnosticPrinter(stream, &options);
#endif
#if CLANG_VERSION_MAJOR == 20 || CLANG_VERSION_MAJOR == 21
    ci.createDiagnostics(files, printer, true);
#else
    (void)files;
    ci.createDiagnostics(printer, true);
#endif
}

} // namespace

extern "C" void front_setup(void)
{
    std::set_new_handler([] { bug("out of memory"); });
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { bug("out of memory"); },
                                          nullptr);
}

extern "C" LLVMModuleRef front_compile(LLVMContextRef ctx, const front_source *src,
                                       char *const *args, unsigned n_args, unsigned pointer_bits,
                                       cc_log *log)
{
    std::string text;
    llvm::raw_string_ostream stream(text);
    auto files = make_files(src);

    std::vector<const char *> argv = {
        "-triple", pointer_bits == 64 ? "spir64-unknown-unknown" : "spir-unknown-unknown",
        "-finclude-default-header", "-fdeclare-opencl-builtins", "-nostdsysteminc", "-nobuiltininc",
        "-internal-isystem", system_dir, "-include", "beignet.h", "-include", "features.h", "-I",
        source_dir,
        // -O1 would forbid unrolling, -O0 inlining; the passes are ours
        "-O2", "-disable-llvm-passes", "-debug-info-kind=line-tables-only", "-dwarf-version=4",
        "-fdenormal-fp-math-f32=preserve-sign,preserve-sign", src->features->cl_ext};
    for (unsigned i = 0; i < n_args; i++)
        argv.push_back(args[i]);
    argv.insert(argv.end(), {"-I", ".", "-x", "cl", src->name});

    CompilerInstance ci;
    DiagnosticOptions early;
    make_diagnostics(ci, *files, stream, early);
    if (!CompilerInvocation::CreateFromArgs(ci.getInvocation(), argv, ci.getDiagnostics())) {
        cc_note(log, "%s", stream.str().c_str());
        return nullptr;
    }
    make_diagnostics(ci, *files, stream, ci.getDiagnosticOpts()); // -w, -Werror are known now
    // "n errors generated." goes where the rest goes
    ci.setVerboseOutputStream(stream);
    ci.createFileManager(files);
    FrontendOptions &fo = ci.getFrontendOpts();
    llvm::MemoryBufferRef buffer(src->text, src->name);
    fo.Inputs.clear();
    fo.Inputs.emplace_back(buffer, InputKind(Language::OpenCL));

    EmitLLVMOnlyAction action(llvm::unwrap(ctx));
    bool ok = ci.ExecuteAction(action);
    std::unique_ptr<llvm::Module> m = ok ? action.takeModule() : nullptr;
    if (!stream.str().empty())
        cc_note(log, "%s", text.c_str());
    return m ? llvm::wrap(m.release()) : nullptr;
}

namespace
{

// What running passes needs, in the order in which it must go away again.
struct Passes {
    llvm::LoopAnalysisManager lam;
    llvm::FunctionAnalysisManager fam;
    llvm::CGSCCAnalysisManager cam;
    llvm::ModuleAnalysisManager mam;
    llvm::PassBuilder pb;

    Passes()
    {
        pb.registerModuleAnalyses(mam);
        pb.registerCGSCCAnalyses(cam);
        pb.registerFunctionAnalyses(fam);
        pb.registerLoopAnalyses(lam);
        pb.crossRegisterProxies(lam, fam, cam, mam);
    }
};

} // namespace

extern "C" void front_infer_address_spaces(LLVMModuleRef m)
{
    Passes p;
    llvm::FunctionPassManager fpm;
    fpm.addPass(llvm::InferAddressSpacesPass(4));
    llvm::ModulePassManager mpm;
    mpm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(fpm)));
    mpm.run(*llvm::unwrap(m), p.mam);
}

extern "C" bool front_run_on_function(LLVMValueRef fn, const char *pipeline)
{
    Passes p;
    llvm::FunctionPassManager fpm;
    if (auto err = p.pb.parsePassPipeline(fpm, pipeline)) {
        llvm::consumeError(std::move(err));
        return false;
    }
    fpm.run(*llvm::unwrap<llvm::Function>(fn), p.fam);
    return true;
}

extern "C" LLVMValueRef front_clone_function(LLVMValueRef fn)
{
    llvm::ValueToValueMapTy map;
    llvm::Function *f = llvm::CloneFunction(llvm::unwrap<llvm::Function>(fn), map);
    f->setLinkage(llvm::GlobalValue::InternalLinkage);
    return llvm::wrap(f);
}
