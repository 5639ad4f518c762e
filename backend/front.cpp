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
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>
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

namespace
{

bool is_volatile(const llvm::Instruction &i)
{
    auto *l = llvm::dyn_cast<llvm::LoadInst>(&i);
    auto *s = llvm::dyn_cast<llvm::StoreInst>(&i);
    return (l && l->isVolatile()) || (s && s->isVolatile());
}

void set_volatile(llvm::Instruction *i, bool yes)
{
    if (auto *l = llvm::dyn_cast<llvm::LoadInst>(i))
        l->setVolatile(yes);
    else
        llvm::cast<llvm::StoreInst>(i)->setVolatile(yes);
}

} // namespace

// The pass leaves volatile accesses alone; for us those are no different.
extern "C" void front_infer_address_spaces(LLVMModuleRef m)
{
    Passes p;
    llvm::SmallVector<llvm::Instruction *> volatiles;
    for (llvm::Function &f : *llvm::unwrap(m))
        for (llvm::Instruction &i : llvm::instructions(f))
            if (is_volatile(i)) {
                volatiles.push_back(&i);
                set_volatile(&i, false);
            }
    llvm::FunctionPassManager fpm;
    fpm.addPass(llvm::InferAddressSpacesPass(4));
    llvm::ModulePassManager mpm;
    mpm.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(fpm)));
    mpm.run(*llvm::unwrap(m), p.mam);
    for (llvm::Instruction *i : volatiles)
        set_volatile(i, true);
}

namespace
{

enum { PRIVATE = 0, GLOBAL = 1, LOCAL = 3, GENERIC = 4 };

// Spaces, by bits, that pointers of the module are made generic from. Constants may hold casts too.
unsigned generic_sources(llvm::Module &m)
{
    unsigned spaces = 1u << GLOBAL;
    auto note = [&](llvm::Value *v) {
        if (auto *op = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(v))
            spaces |= 1u << op->getSrcAddressSpace();
    };
    llvm::SmallVector<llvm::Constant *> work;
    llvm::SmallPtrSet<llvm::Constant *, 32> seen;
    for (llvm::Function &f : m)
        for (llvm::Instruction &i : llvm::instructions(f)) {
            note(&i);
            for (llvm::Value *v : i.operands())
                if (auto *c = llvm::dyn_cast<llvm::ConstantExpr>(v))
                    work.push_back(c);
        }
    while (!work.empty()) {
        llvm::Constant *c = work.pop_back_val();
        if (!seen.insert(c).second)
            continue;
        note(c);
        for (llvm::Value *v : c->operands())
            if (auto *e = llvm::dyn_cast<llvm::ConstantExpr>(v))
                work.push_back(e);
    }
    return spaces;
}

// Splits accesses in two by a condition on the pointer's tag; the result is joined behind.
class Splitter
{
  public:
    Splitter(llvm::Module &m) : spaces(generic_sources(m))
    {
        llvm::Type *i32 = llvm::Type::getInt32Ty(m.getContext());
        tag = m.getOrInsertFunction("__gen_pointer_tag", i32,
                                    llvm::PointerType::get(m.getContext(), GENERIC));
        auto *fn = llvm::cast<llvm::Function>(tag.getCallee());
        fn->setCallingConv(llvm::CallingConv::SPIR_FUNC);
        fn->setDoesNotAccessMemory();
        fn->setDoesNotThrow();
        fn->setWillReturn();
    }

    void split(llvm::Instruction *i)
    {
        const bool local = spaces & 1u << LOCAL, priv = spaces & 1u << PRIVATE;
        llvm::IRBuilder<> b(i);
        if (!local && !priv) {
            move_to(i, GLOBAL);
            return;
        }
        llvm::CallInst *t = b.CreateCall(tag, llvm::getLoadStorePointerOperand(i));
        t->setCallingConv(llvm::CallingConv::SPIR_FUNC);
        llvm::Instruction *rest = branch(i, b.CreateICmpUGE(t, b.getInt32(2)), GLOBAL);
        if (local && priv) {
            b.SetInsertPoint(rest);
            rest = branch(rest, b.CreateICmpEQ(t, b.getInt32(3)), LOCAL);
        }
        move_to(rest, priv ? PRIVATE : LOCAL);
    }

  private:
    unsigned spaces;
    llvm::FunctionCallee tag;

    static void move_to(llvm::Instruction *i, unsigned space)
    {
        unsigned n = llvm::isa<llvm::LoadInst>(i) ? 0 : 1;
        llvm::IRBuilder<> b(i);
        llvm::Type *t = llvm::PointerType::get(i->getContext(), space);
        i->setOperand(n, b.CreateAddrSpaceCast(i->getOperand(n), t));
        i->setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    }

    // Where not `cond`, an access to `space`; the other, which is returned, where it holds.
    static llvm::Instruction *branch(llvm::Instruction *i, llvm::Value *cond, unsigned space)
    {
        llvm::Instruction *then, *other;
        llvm::SplitBlockAndInsertIfThenElse(cond, i, &then, &other);
        llvm::Instruction *here = i->clone();
        here->insertBefore(other);
        llvm::Instruction *there = i->clone();
        there->insertBefore(then);
        if (!i->getType()->isVoidTy()) {
            llvm::IRBuilder<> b(i);
            llvm::PHINode *phi = b.CreatePHI(i->getType(), 2);
            phi->addIncoming(there, there->getParent());
            phi->addIncoming(here, here->getParent());
            i->replaceAllUsesWith(phi);
        }
        i->eraseFromParent();
        move_to(here, space);
        return there;
    }
};

} // namespace

extern "C" bool front_split_generic(LLVMModuleRef mod)
{
    llvm::Module &m = *llvm::unwrap(mod);
    llvm::SmallVector<llvm::Instruction *> work;
    for (llvm::Function &f : m)
        for (llvm::Instruction &i : llvm::instructions(f)) {
            llvm::Value *p = llvm::getLoadStorePointerOperand(&i);
            if (p && p->getType()->getPointerAddressSpace() == GENERIC)
                work.push_back(&i);
        }
    if (work.empty())
        return false;
    Splitter splitter(m);
    for (llvm::Instruction *i : work)
        splitter.split(i);
    return true;
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

extern "C" bool front_can_copy_block(LLVMBasicBlockRef block, unsigned max_size)
{
    llvm::BasicBlock *b = llvm::unwrap(block);
    unsigned size = 0;
    for (llvm::Instruction &i : *b) {
        auto *call = llvm::dyn_cast<llvm::CallBase>(&i);
        bool together = call && (call->isConvergent() || call->cannotDuplicate());
        if (i.isDebugOrPseudoInst())
            continue;
        size += !llvm::isa<llvm::PHINode>(i);
        if (together || i.mayReadOrWriteMemory() || size > max_size)
            return false;
    }
    return !b->hasAddressTaken() && b != &b->getParent()->getEntryBlock();
}

extern "C" void front_copy_block(LLVMBasicBlockRef block, LLVMBasicBlockRef *preds,
                                 unsigned n_preds)
{
    llvm::BasicBlock *b = llvm::unwrap(block);
    while (auto *phi = llvm::dyn_cast<llvm::PHINode>(&b->front()))
        llvm::DemotePHIToStack(phi);
    std::vector<llvm::Instruction *> used;
    for (llvm::Instruction &i : *b)
        if (i.isUsedOutsideOfBlock(b))
            used.push_back(&i);
    for (llvm::Instruction *i : used)
        llvm::DemoteRegToStack(*i);

    llvm::ValueToValueMapTy map;
    llvm::BasicBlock *copy = llvm::CloneBasicBlock(b, map, "", b->getParent());
    llvm::remapInstructionsInBlocks({copy}, map);
    for (llvm::BasicBlock *to : llvm::successors(copy))
        for (llvm::PHINode &phi : to->phis()) {
            llvm::Value *v = phi.getIncomingValueForBlock(b), *mapped = map.lookup(v);
            phi.addIncoming(mapped ? mapped : v, copy);
        }
    for (unsigned n = 0; n < n_preds; n++)
        llvm::unwrap(preds[n])->getTerminator()->replaceSuccessorWith(b, copy);
}

extern "C" LLVMValueRef front_clone_function(LLVMValueRef fn)
{
    llvm::ValueToValueMapTy map;
    llvm::Function *f = llvm::CloneFunction(llvm::unwrap<llvm::Function>(fn), map);
    f->setLinkage(llvm::GlobalValue::InternalLinkage);
    return llvm::wrap(f);
}
